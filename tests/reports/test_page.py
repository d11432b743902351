"""The page of a run: complete, well formed, self-contained, the same bytes for the same run."""

from __future__ import annotations

import re
from dataclasses import replace
from html.parser import HTMLParser
from typing import Any

import msgspec
import pytest
from finished_runs import ROWS, config, content_of, records, row
from result_rows import compared, finished

from learnability.comparing.options import ExperimentOptions
from learnability.comparing.plan import RunPlan
from learnability.evidence.score_differences import ScoringBasis
from learnability.metrics.scores import Score
from learnability.parsers.registry import parser_named
from learnability.reports.page import report_files

VOID = {"meta", "br", "input"}


def page(rows: Any = ROWS, found: Any = None, about: Any = None, **others: Any) -> str:
    given = records() if found is None else found
    return report_files(content_of(rows, given, about or config(), **others))["report.html"].decode()


class Tags(HTMLParser):
    """Checks that tags close in order and ids are unique; collects cells and links."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.cells = 0
        self.ids: list[str] = []
        self.links: list[str] = []

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        given = dict(attrs)
        self.cells += tag == "td"
        self.ids += [given["id"]] if "id" in given else []
        self.links += [given["href"]] if tag == "a" and "href" in given else []
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: Any) -> None:
        self.ids += [dict(attrs)["id"]] if "id" in dict(attrs) else []

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@pytest.mark.usefixtures("drawn_figures")
def test_the_page_is_complete_escaped_and_self_contained() -> None:
    made = page()
    tags = Tags()
    tags.feed(made)
    assert tags.open == []
    assert len(tags.ids) == len(set(tags.ids))
    assert {link.removeprefix("#") for link in tags.links if link.startswith("#")} <= set(tags.ids)
    for text in ("made up &lt;here&gt;", "3 × no &lt;such&gt; thing", "0123abcd"):
        assert text in made
    assert '<figure id="figure-differences">' in made
    own = made.replace("http://www.w3.org", "")
    assert not re.search(r"\ssrc\s*=|https?:|@import|url\((?!#)", own)


@pytest.mark.usefixtures("drawn_figures")
def test_no_line_ends_within_a_number() -> None:
    text = report_files(content_of(ROWS, records(), config()))["report.html"].decode()
    answers = text.partition('class="construction')[2].partition('id="caveats"')[0]
    assert "det: UD is easier to learn" in answers
    assert not re.search(r" [±=%]|[±=] |p &lt;", re.sub("<[^>]*>", "", answers))


def test_a_page_without_scores_has_no_figures() -> None:
    made = page(finished(row(), *ROWS[1:]), [])
    assert '<figure id="figure-differences">' in made
    assert ">det: not computed</h3>" in made
    made = page([ROWS[2]], [], config(options=config().options | {"alternatives": ["mwe"]}))
    assert "<figure" not in made
    assert "Every comparison" not in made


def test_the_page_opens_with_answers_intervals_sentences_and_caveats() -> None:
    made = page()
    opening, _, folded = made.partition('<h2 id="details">')
    assert '<td class="text">UD</td>' in opening
    assert '<section class="construction base" aria-labelledby="construction-1">' in opening
    places = [opening.index(f'id="{name}"') for name in
              ("answers", "figure-differences", "constructions", "construction-1", "caveats")]  # fmt: skip
    assert places == sorted(places)
    assert len(re.findall("<figure", opening)) == 1
    assert opening.count("<details") == 1  # the data of the figure
    for name in ("common", "preferred", "limits", "computed"):
        assert f'<details class="part" id="{name}">' in folded


def test_what_failed_is_among_the_caveats() -> None:
    broken = [msgspec.structs.replace(record, result=None, failed="no <memory>") for record in records()[:2]]
    made = report_files(content_of(ROWS, records(), config(), failed=broken))["report.html"].decode()
    caveats = made.partition('id="caveats"')[2].partition("</section>")[0]
    assert "<b>arc-eager: 2 trainings failed</b>" in caveats
    assert "The first error: no &lt;memory&gt;." in caveats


def test_labelled_parsers_have_their_columns() -> None:
    assert "LAS" not in page()
    labelled = {"labelled": True}
    las = compared(1.5, 0.5, score=Score.LAS, base=70.5)
    back = compared(1.25, 0.5, ScoringBasis.CONVERTED, Score.LAS, base=69.5)
    about = config(options=config().options | {"labels": "external"})
    made = page(
        finished(ROWS[0] | labelled | las | back, *(one | labelled for one in ROWS[1:])),
        records(labelled=True),
        about,
    )
    for text in (
        "det UAS</th>",
        "det LAS</th>",
        "UD +1.5 (1.0 to 2.0)*</td>",
        "<td>68.25</td>",
        "With relations (LAS): UD is easier to learn. It scores 1.5 points higher",
        "LAS needs the right relation",
    ):
        assert text in made
    assert "(unlabelled, with gold tags)" in page()
    assert "unlabelled" not in made


def test_a_system_without_dynamic_oracle_is_said_to_have_none() -> None:
    note = "cannot be trained on both annotations at once, because it has no dynamic oracle"
    without = [record for record in records() if record.setting != "c"]
    plan = RunPlan((), (), ExperimentOptions((), parsers=(parser_named("arc-standard"),)))
    assert f"<li>arc-standard {note}.</li>" in page(found=without, plan=plan)
    assert note not in page(found=without)
    same_heads = finished(row(**compared(1.4, 0.4), changed_columns=("deprel",)))
    assert note not in page(list(same_heads), plan=plan)


def test_a_run_in_another_folder_has_the_same_page() -> None:
    def page_in(folder: str) -> str:
        (treebank,) = config().treebanks
        _, *others = config().options["alternatives"]
        about = replace(
            config(),
            treebanks=(replace(treebank, sha256={f"{folder}/UD_X/x-ud-train.conllu": "0123abcd"}),),
            options={**config().options, "alternatives": [f"scheme:{folder}/mine.toml", *others]},
            arguments={"command": "run", "treebanks": [{"treebank": f"{folder}/UD_X", "ud_home": folder}]},
        )
        return page(about=about)

    assert page_in("/home/a/data") == page_in("/b/data")


def test_the_command_can_be_given_again() -> None:
    typed = "learnability run --treebank X --alternative 'my <own>.toml'"
    assert "<code>learnability run --treebank X --alternative &#39;my &lt;own&gt;.toml&#39;</code>" in page(
        about=config(command_line=typed)
    )
    assert "<code>learnability run" not in page()  # a run from Python
