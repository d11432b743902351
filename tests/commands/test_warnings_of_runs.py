"""What a run warns about while it runs stands in its report and in its card."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from invoking import Call
from small_treebanks import small_treebank

from learnability.comparing import plan as plan_module
from learnability.comparing.options import ExperimentOptions
from learnability.comparing.plan import RunPlan, TreebankFacts
from learnability.treebanks.locate import TreebankFiles

QUICK = ("--test-set", "--iterations", "1", "--seeds", "1", "--jobs", "1", "--transform", "case")


@pytest.fixture
def treebank(tmp_path: Path) -> Path:
    folder = small_treebank(tmp_path, "UD_Small", train=40)
    train = folder / "xx-ud-train.conllu"
    text = re.sub(r"^(\d+)\t[^\t]+", r"\1\t_", train.read_text(encoding="utf-8"), flags=re.MULTILINE)
    train.write_text(text, encoding="utf-8")
    return folder


def test_a_warning_is_in_report_and_card(call: Call, treebank: Path, tmp_path: Path) -> None:
    done = call("run", "--treebank", treebank, *QUICK, "--out", tmp_path / "run")
    assert done.code == 0, done.errors
    said = "every FORM is _ (text not included): words tell the parser nothing"
    assert f"xx-ud-train.conllu: {said}" in done.errors
    page = (tmp_path / "run" / "report.html").read_text(encoding="utf-8")
    caveats = page.partition('<h2 id="caveats">')[2].partition("</section>")[0]
    assert f"<li>xx-ud-train.conllu: {said}</li>" in caveats  # without its folder
    card = tmp_path / "card.md"
    assert call("report", tmp_path / "run", "--card", card).code == 0
    assert f"xx-ud-train.conllu: {said}" in json.loads(card.with_suffix(".json").read_text())["caveats"]
    text = card.read_text(encoding="utf-8")
    assert said in text.partition("## Caveats")[2]
    assert str(treebank) not in text


def test_advice_on_a_pair_is_kept_with_its_treebank(monkeypatch: pytest.MonkeyPatch) -> None:
    advice = ["UD_A: conj: most of it has this form", "UD_B: cc: most of it has this form"]
    monkeypatch.setattr(plan_module, "advice_on_pairs", lambda plan: advice)
    files = TreebankFiles("UD_A", "2.16", Path("/far/UD_A"), test=(Path("/far/UD_A/a-ud-test.conllu"),))
    facts = TreebankFacts(
        "UD_A@2.16", "UD_A", left_out=("/far/UD_A/a-ud-test.conllu has no sentences", "read /far/UD_A")
    )
    plan = RunPlan((), (), ExperimentOptions.spell_annotations(()))
    assert list(plan_module.warnings_of(plan, files, facts)) == [
        "a-ud-test.conllu has no sentences",
        "read UD_A",
        "conj: most of it has this form",
    ]


def test_the_options_of_a_run_are_checked_once(
    call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    checked, check = [], ExperimentOptions.check

    def count_checks(options: ExperimentOptions) -> None:
        checked.append(options)
        check(options)

    monkeypatch.setattr(ExperimentOptions, "check", count_checks)
    typed = ("run", "--treebank", "demo", "--transform", "det", "--test-set", "--seeds", 1, "--jobs", 1)
    assert call(*typed, "--out", tmp_path / "run", "--dry-run").code == 0
    assert len(checked) == 1
