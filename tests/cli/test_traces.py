from __future__ import annotations

from normgym_agents.cli.app import execute
from tests.telemetry.receiver import running_receiver, silent_port

RUN = ["run", "reference:norm-blind", "--worlds", "1", "--conditions", "none", "--driver", "loop", "--quiet"]


def test_the_spans_of_a_run_are_sent_while_it_runs_and_again_later(tmp_path, capsys):
    folder = tmp_path / "run"
    with running_receiver() as receiver:
        assert execute([*RUN, "--out", str(folder), "--otlp", receiver.url]) == 0
        live = len(receiver.spans())
        assert live > 2
        capsys.readouterr()
        assert execute(["traces", "export", str(folder), "--to", receiver.url]) == 0
        assert len(receiver.spans()) == 2 * live
    assert capsys.readouterr().out.startswith(f"{live} spans sent in ")


def test_a_receiver_that_is_not_there_costs_a_warning_and_not_the_run(tmp_path, capsys):
    with silent_port() as url:
        pass  # closed again: nobody is there
    assert execute([*RUN, "--out", str(tmp_path / "run"), "--otlp", url]) == 0
    assert "spans did not reach http://127.0.0.1" in capsys.readouterr().err
