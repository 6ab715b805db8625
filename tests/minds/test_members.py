"""Members that models speak for, through a real endpoint: what they say and decide, and what becomes of it."""

import re

import pytest

from normgym_agents import evaluate
from normgym_agents.errors import BadInput
from normgym_agents.evaluation.outcomes import Outcome
from normgym_agents.testing import Fail, Say, ScriptedEndpoint
from tests.minds.playing import MODEL, decides, faithful, judged, lines_of, offered, turn


@pytest.fixture
def played(monkeypatch):
    async def play(
        script,
        kind,
        *,
        conditions=("live",),
        worlds=1,
        newcomer="reference:ideal-observer",
        strict=True,
        **more,
    ):
        with ScriptedEndpoint(script, strict=strict) as endpoint:
            for name, value in endpoint.env().items():
                monkeypatch.setenv(name, value)
            result = await evaluate(
                newcomer,
                "quick",
                conditions=list(conditions),
                worlds=worlds,
                members=kind,
                member_model=f"{MODEL}?max_retries=0",
                **{"driver": "loop", **more},
            )
        assert not endpoint.errors
        return result, endpoint

    return play


def of_kind(record, kind):
    return [event for event in record.events if event.kind == kind]


@pytest.mark.parametrize("kind", ["voiced", "autonomous"])
async def test_both_drivers_play_the_same(played, kind):
    def alike(request):  # not by the order of arrival, which no driver keeps
        return faithful(request) if decides(request) else Say("Rain by supper, mark me.")

    runs = [(await played(alike, kind, driver=driver))[0] for driver in ("graph", "loop")]
    assert lines_of(runs[0]) == lines_of(runs[1])


async def test_voiced_members_do_what_the_schedule_says_and_have_words_for_it(played):
    voiced, _ = await played(faithful, "voiced")
    (record,) = voiced.records
    scripted = (await evaluate("reference:ideal-observer", "quick", conditions=["live"], worlds=1)).records[0]
    for kind in ("act", "sanction"):
        spoken = [event for event in of_kind(record, kind) if event.words]
        assert spoken
        silent = [event.model_copy(update={"words": ""}) for event in of_kind(record, kind)]
        assert silent == [event.model_copy(update={"words": ""}) for event in of_kind(scripted, kind)]
    assert record.evidence is None
    assert record.key != scripted.key


async def test_what_a_newcomer_reads_has_the_words(played):
    read = []

    def newcomer(text):
        read.append(text)
        return "wait"

    result, _ = await played(faithful, "voiced", conditions=["others"], newcomer=newcomer)
    assert result.records[0].outcome is Outcome.COMPLETED
    assert re.search(r"took the \w+ \w+ \w+\. “Rain by supper, mark me\.”", read[0])


async def test_autonomous_members_decide_and_the_evidence_is_taken_again(played):
    result, endpoint = await played(faithful, "autonomous")
    (record,) = result.records
    assert record.norms == ("forbid take(glaze=brack)",)
    assert (
        record.evidence is not None and record.evidence > 0.95
    )  # a faithful community shows what was certified
    assert all(event.deserved for event in of_kind(record, "sanction"))
    assert not [event for event in of_kind(record, "conduct") if event.faults]
    used = record.clock.members
    assert used.calls == len(endpoint.requests) and used.input_tokens > 0


async def test_members_that_answer_nothing_leave_too_little_to_learn_from(played):
    def silent(request):
        return turn((offered(request) or [""])[0])

    (record,) = (await played(silent, "autonomous"))[0].records
    assert not of_kind(record, "sanction")
    assert record.evidence < 0.95


@pytest.mark.parametrize("kind", ["voiced", "autonomous"])
async def test_invalid_output_is_asked_for_once_more_then_left_to_schedule_and_template(played, kind):
    result, endpoint = await played(lambda _: Say("<b>As an AI language model</b> {"), kind, strict=False)
    (record,) = result.records
    conduct = of_kind(record, "conduct")
    assert conduct and all(event.fallback and len(event.faults) == 2 for event in conduct)
    assert len(endpoint.requests) == 2 * len(conduct)
    scripted = (await evaluate("reference:ideal-observer", "quick", conditions=["live"], worlds=1)).records[0]
    for of in ("act", "sanction"):
        assert of_kind(record, of) == of_kind(scripted, of)


async def test_a_budget_leaves_the_rest_to_the_templates(played):
    from normgym_agents.community.kinds import MemberLimits

    result, endpoint = await played(faithful, "voiced", member_limits=MemberLimits(episode_calls=5))
    (record,) = result.records
    assert len(endpoint.requests) == 5 == record.clock.members.calls
    conduct = of_kind(record, "conduct")
    assert [event.faults for event in conduct[5:]] == [("budget",)] * (len(conduct) - 5)


async def test_a_provider_that_fails_is_the_communitys_failure(played):
    result, _ = await played(lambda _: Fail(500), "voiced")
    (record,) = result.records
    assert record.outcome is Outcome.COMMUNITY_FAILED and record.scores is None
    assert re.match(rf"the model of \w+ \({re.escape(MODEL)}\?max_retries=0\) failed: .*500", record.error)


@pytest.mark.parametrize("kind", ["voiced", "autonomous"])
async def test_prompts_only_grow(played, kind):
    _, endpoint = await played(faithful, kind)
    last: dict[str, list] = {}
    for request in endpoint.requests:
        sent = [dict(message) for message in request.messages]
        before = last.get(request.system, [])
        assert sent[: len(before)] == before
        last[request.system] = sent
    assert len(last) == 6  # a conversation for each member


async def test_a_persona_may_have_a_model_of_its_own(monkeypatch):
    with ScriptedEndpoint(faithful) as endpoint:
        for name, value in endpoint.env().items():
            monkeypatch.setenv(name, value)
        await evaluate(
            "reference:norm-blind",
            "quick",
            conditions=["others"],
            worlds=1,
            members="voiced",
            member_model={"": MODEL, "mira": "openai:gpt-4.1-mini?temperature=0"},
        )
    models = {request.system.partition(",")[0]: request.model for request in endpoint.requests}
    assert models.pop("You are Mira") == "gpt-4.1-mini" and set(models.values()) == {"gpt-4o-mini"}
    assert {request.body.get("temperature") for request in endpoint.requests} == {None, 0}


async def test_where_conduct_is_what_is_varied_members_cannot_decide(played):
    with pytest.raises(BadInput, match="'ghost' varies what members do"):
        await played(faithful, "autonomous", conditions=["ghost"])


async def test_nobody_is_asked_in_the_probe(played):
    result, _ = await played(faithful, "autonomous", conditions=["none"])
    assert not of_kind(result.records[0], "conduct")


async def test_whoever_is_to_be_judged_was_there(played):
    seen = []

    def watching(request):
        seen.append((request.system.partition(",")[0].removeprefix("You are "), judged(request)))
        return faithful(request)

    await played(watching, "autonomous")
    assert any(who for _, who in seen)
    assert not [one for one, who in seen if one in who]
