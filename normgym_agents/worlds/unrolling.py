"""The graph of a day, and the same graph told apart by what the newcomer did before.

History never decides what is possible, only what norms say of it. So a day is laid out once without any, and
what norms need to remember is multiplied in afterwards, by array operations, over the part of the graph that
still ends in time.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from normgym_agents.norms.moments import Moment
from normgym_agents.worlds.acts import Act
from normgym_agents.worlds.distances import Indices, steps_left
from normgym_agents.worlds.memory import History, Memory


class Graph(NamedTuple):
    """What can be done on a day. Node 0 is the morning; a kind is an act in all that norms see but signals.

    Attributes:
        source: Per edge the node before, shape (edges,).
        target: Per edge the node after.
        kind: Per edge what is done.
        goals: Per node whether the task is done there, shape (nodes,).
        offers: Everything that can be done anywhere, as pairs of node and kind, shape (offers, 2).
        kinds: What is done, as act and as moment.
    """

    source: Indices
    target: Indices
    kind: Indices
    goals: NDArray[np.bool_]
    offers: Indices
    kinds: Sequence[tuple[Act, Moment]]


class Unrolled(NamedTuple):
    """A graph with history, and its nodes by the node and the history that they stand for."""

    graph: Graph
    places: dict[tuple[int, History], int]


def unroll(graph: Graph, memory: Memory, horizon: int) -> Unrolled:
    """Tell the nodes of a graph apart by the history that a memory keeps.

    Args:
        graph: The graph without history.
        memory: What is kept.
        horizon: Most acts of a plan; nodes that cannot lie on one are left out.
    """
    return _Unrolling(graph, memory, horizon).result()


class _Unrolling:
    """Breadth first, one act at a time; pairs of node and history are coded as one integer."""

    def __init__(self, graph: Graph, memory: Memory, horizon: int) -> None:
        self._graph, self._memory, self._horizon = graph, memory, horizon
        self._left = steps_left(graph.source, graph.target, graph.goals, horizon)
        self._histories = {History(): 0}
        deeds = [moment.deed for _, moment in graph.kinds]
        self._deeds = list(dict.fromkeys(deeds))
        number = {deed: i for i, deed in enumerate(self._deeds)}
        self._deed_of = np.array([number[deed] for deed in deeds], dtype=np.int64)
        self._after: dict[tuple[int, int], int] = {}

    def result(self) -> Unrolled:
        nodes, edges = self._search()
        base = self._graph
        count = len(base.goals)
        source, edge, target = edges
        which, left = _join(base.offers[:, 0], nodes % count)
        offer_node, offer_kind = left, base.offers[which, 1]
        kinds, kind = self._kinds(
            np.concatenate([base.kind[edge], offer_kind]),
            np.concatenate([nodes[source] // count, nodes[offer_node] // count]),
        )
        histories = list(self._histories)
        return Unrolled(
            Graph(
                source=source,
                target=target,
                kind=kind[: len(edge)],
                goals=base.goals[nodes % count],
                offers=np.stack([offer_node, kind[len(edge) :]], axis=1),
                kinds=kinds,
            ),
            {(int(code) % count, histories[int(code) // count]): i for i, code in enumerate(nodes)},
        )

    def _search(self) -> tuple[Indices, tuple[Indices, Indices, Indices]]:
        """The nodes as codes, in the order found; and per edge its source, the edge it stems from, its target."""
        base, count = self._graph, len(self._graph.goals)
        found = frontier = np.zeros(1, dtype=np.int64)
        edges: list[tuple[Indices, Indices, Indices]] = []
        for depth in range(self._horizon):
            useful = np.flatnonzero(depth + 1 + self._left[base.target] <= self._horizon)
            useful = useful[~base.goals[base.source[useful]]]
            picked, at = _join(base.source[useful], frontier % count)
            edge = useful[picked]
            then = self._history_after(frontier[at] // count, self._deed_of[base.kind[edge]])
            code = base.target[edge] + count * then
            edges.append((frontier[at], edge, code))
            fresh = np.setdiff1d(code, found)
            if not len(fresh):
                break
            found, frontier = np.concatenate([found, fresh]), fresh
        order = np.argsort(found, kind="stable")

        def place(codes: Indices) -> Indices:
            return np.asarray(order[np.searchsorted(found, codes, sorter=order)], dtype=np.int64)

        if not edges:
            nothing = np.zeros(0, dtype=np.int64)
            return found, (nothing, nothing, nothing)
        source, edge, code = (np.concatenate(parts) for parts in zip(*edges, strict=True))
        return found, (place(source), edge, place(code))

    def _history_after(self, histories: Indices, deeds: Indices) -> Indices:
        """Per pair the history once the deed is done, computed once for each distinct pair."""
        wide = len(self._deeds)
        pairs, which = np.unique(histories * wide + deeds, return_inverse=True)
        known = list(self._histories)
        after = np.empty(len(pairs), dtype=np.int64)
        for i, pair in enumerate(pairs.tolist()):
            history, deed = divmod(pair, wide)
            then = self._memory.after(known[history], self._deeds[deed])
            after[i] = self._histories.setdefault(then, len(self._histories))
        return np.asarray(after[which.reshape(-1)], dtype=np.int64)

    def _kinds(self, kinds: Indices, histories: Indices) -> tuple[list[tuple[Act, Moment]], Indices]:
        """What is done where, with what norms see of the history; and per entry which of them it is."""
        known, wide = list(self._histories), len(self._graph.kinds)
        pairs, which = np.unique(histories * wide + kinds, return_inverse=True)
        number: dict[tuple[int, History], int] = {}
        found: list[tuple[Act, Moment]] = []
        renamed = np.empty(len(pairs), dtype=np.int64)
        for i, pair in enumerate(pairs.tolist()):
            history, kind = divmod(pair, wide)
            act, moment = self._graph.kinds[kind]
            seen = self._memory.seen(known[history], moment.verb)
            renamed[i] = number.setdefault((kind, seen), len(number))
            if renamed[i] == len(found):
                found.append((act, moment._replace(recent=seen.recent, tally=seen.tally)))
        return found, np.asarray(renamed[which.reshape(-1)], dtype=np.int64)


def _join(keys: Indices, nodes: Indices) -> tuple[Indices, Indices]:
    """All pairs of a key and a node that are equal: indices into the keys, and into the nodes."""
    order = np.argsort(keys, kind="stable")
    ordered = keys[order]
    first, last = np.searchsorted(ordered, nodes), np.searchsorted(ordered, nodes, side="right")
    counts = last - first
    at = np.repeat(np.arange(len(nodes)), counts)
    within = np.arange(len(at)) - np.repeat(np.cumsum(counts) - counts, counts)
    return order[first[at] + within], at
