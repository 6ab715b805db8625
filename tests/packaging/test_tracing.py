"""The files that are handed to other programs: they parse, and speak of what our spans do carry."""

from __future__ import annotations

import re
from typing import Any

import pytest
from pydantic import RootModel

from normgym_agents.assets import asset
from normgym_agents.files import read_yaml
from normgym_agents.telemetry import names


class Mapping(RootModel[dict[str, Any]]):
    pass


def _names(prefix: str) -> set[str]:
    return {value for value in vars(names).values() if isinstance(value, str) and value.startswith(prefix)}


def test_the_recipes_use_only_attributes_that_exist():
    text = asset("tracing", "recipes.md").read_text(encoding="utf-8")
    used = {name.rstrip(".") for name in re.findall(r"\b(?:normgym|gen_ai)\.[a-z_.]+", text)}
    assert {"normgym.world", "normgym.verdict"} <= used
    assert used <= _names("normgym.") | _names("gen_ai.")


def test_the_recipes_name_only_spans_and_files_that_exist():
    text = asset("tracing", "recipes.md").read_text(encoding="utf-8")
    operations = set(re.findall(r"^\|[^|]+\| `(\w+)` \| `normgym", text, re.MULTILINE))
    assert operations == {names.SPAN_EPISODE, names.SPAN_ROUND, names.SPAN_ADJUDICATION}
    for file in re.findall(r"-f (\S+\.yaml)|--config (\w+\.yaml)", text):
        assert asset("tracing", next(filter(None, file))).is_file()


def test_the_collector_uses_every_part_it_defines():
    config = read_yaml(asset("tracing", "collector.yaml"), Mapping).root
    pipeline = config["service"]["pipelines"]["traces"]
    assert set(pipeline["receivers"]) == set(config["receivers"])
    assert set(pipeline["exporters"]) == set(config["exporters"]) == {"file", "debug"}
    assert config["receivers"]["otlp"]["protocols"]["http"]["endpoint"].endswith(":4318}")


@pytest.mark.parametrize("port", [4318, 16686])
def test_jaeger_listens_to_this_machine_only(port):
    services = read_yaml(asset("tracing", "compose.yaml"), Mapping).root["services"]
    assert f"127.0.0.1:{port}:{port}" in services["jaeger"]["ports"]
    assert all(mapping.startswith("127.0.0.1:") for mapping in services["jaeger"]["ports"])
