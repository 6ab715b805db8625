from __future__ import annotations

import shutil

import pytest

from normgym_agents.assets import asset
from normgym_agents.community.personas import read_community
from normgym_agents.errors import BadInput
from normgym_agents.evaluation.episodes import people


def test_the_people_of_a_setting_hold_cards_without_a_mark():
    assert {member.card.canary for member in people("pottery-yard").values()} == {""}


@pytest.mark.parametrize("key", ["answer", "canary"])
def test_a_wrong_key_in_a_card_names_only_what_an_author_may_write(tmp_path, key):
    for kind in ("communities", "personas", "cards"):
        shutil.copytree(asset("personas", kind), tmp_path / kind)
    card = tmp_path / "cards" / "mira.yaml"
    card.write_text(card.read_text() + f"{key}: mine\n")
    with pytest.raises(BadInput, match=rf"mira\.yaml:\d+: {key}: is not a known key") as caught:
        read_community("pottery-yard", tmp_path)
    assert caught.value.expected == "one of answers, norms"
