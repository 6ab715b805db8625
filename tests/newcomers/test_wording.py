"""Names in prose."""

from normgym_agents.worlds.stage import Thing
from normgym_agents.worlds.wording import looks_of, phrase_of

CUP = Thing(id="t1", attributes={"glaze": "sarn", "mark": "ringed", "form": "cup"}, home="shed")


def test_looks():
    assert looks_of(CUP, "{glaze} {mark} {form}", False, "fired") == "sarn ringed cup"
    assert looks_of(CUP, "{form} of {glaze}", True, "fired") == "fired cup of sarn"


def test_phrases():
    assert phrase_of("give THING to PERSON", thing="sarn cup", to="Oren") == "give the sarn cup to Oren"
    assert phrase_of("go PLACE", place="loft") == "go loft"
    assert phrase_of("switch to PLACE", place="forum") == "switch to the forum"
    assert phrase_of("ask PERSON about TOPIC", to="Priya", topic="docs") == "ask Priya about docs"
    assert phrase_of("call PERSON ADDRESS", to="Berta", address="chef") == "call Berta chef"
    assert phrase_of("say WORDS", say="hello") == 'say "hello"'
    assert phrase_of("give THING to PERSON") == "give THING to PERSON"
