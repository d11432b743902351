"""The atlas: the numbers of `compare`, links that lead somewhere, and one page whatever things are called."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urljoin, urlsplit

import pytest
from finished_runs import hand_run, pair, write_run
from result_rows import hand_row
from small_treebanks import small_treebank

from learnability.atlas.cells import MARKS, CellOutcome, cells_of, columns_of
from learnability.atlas.names import Links, link_names
from learnability.atlas.page_parts import STRIP_WIDTH, ShownAnswer, interval_text, strip
from learnability.atlas.sentences import SentenceSource
from learnability.atlas.site import CSV, INDEX, atlas_files
from learnability.evidence.questions import Answer, Question
from learnability.evidence.rows_from_records import corrected_rows
from learnability.evidence.score_differences import Difference, ScoringBasis
from learnability.evidence.stored_runs import StoredPair, StoredRun, read_run
from learnability.evidence.survey import Evidence, combine_runs
from learnability.metrics.scores import Score
from learnability.reports.comparison_files import as_json, treebanks_figures
from learnability.treebanks.locate import locate_treebank


class Page(HTMLParser):
    """The links, the ids and the answers of a page."""

    def __init__(self, data: bytes) -> None:
        super().__init__()
        self.links: list[str] = []
        self.ids: list[str] = []
        self.cells: list[str] = []
        self._cell: list[str] | None = None
        self.feed(data.decode())

    def handle_starttag(self, tag: str, attrs: Sequence[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        self.links += [str(values[name]) for name in ("href", "src") if values.get(name)]
        self.ids += [str(values["id"])] if values.get("id") else []
        if tag == "td":
            self._cell = []

    def handle_data(self, data: str) -> None:
        if self._cell is not None:
            self._cell.append(data)

    def handle_endtag(self, tag: str) -> None:
        if tag == "td" and self._cell is not None:
            self.cells.append(" ".join("".join(self._cell).split()))
            self._cell = None


def evidence_of(*runs: StoredRun) -> Evidence:
    return combine_runs(list(runs))


def site_of(*runs: StoredRun) -> dict[str, bytes]:
    """The atlas of runs whose treebanks are nowhere."""
    return atlas_files(evidence_of(*runs), runs, SentenceSource(runs, lambda config: {}))


def with_parser(run: StoredRun, parser: str, change: Callable[[float], float]) -> StoredRun:
    """The run by another parser, with other differences."""

    def changed(c: StoredPair) -> StoredPair:
        key = Score.UAS, ScoringBasis.ANNOTATION
        difference = c.row.differences.get(key)
        if difference is None:
            return replace(c, parser=parser)
        differences = {**c.row.differences, key: replace(difference, delta=change(difference.delta))}
        return replace(c, parser=parser, row=replace(c.row, differences=differences))

    pairs = list(map(changed, run.pairs))
    rows = corrected_rows([c.row for c in pairs])
    found = (replace(c, row=row) for c, row in zip(pairs, rows, strict=True))
    return replace(run, pairs=tuple(found), folder=Path("other"))


@pytest.fixture(scope="module")
def run() -> StoredRun:
    return hand_run(Path("run"))


@pytest.fixture(scope="module")
def site(run: StoredRun) -> dict[str, bytes]:
    return site_of(run)


def lines_of(site: dict[str, bytes]) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(site[CSV].decode())))


def test_numbers_are_those_of_the_comparison(run: StoredRun, site: dict[str, bytes]) -> None:
    compared = json.loads(as_json(evidence_of(run)))
    lines = {(line["treebank"], line["construction"]): line for line in lines_of(site)}
    assert len(lines) == 6
    for expected in compared["differences"]:
        line = lines.pop((expected["treebank"], expected["construction"]))
        for name, value in expected.items():
            if isinstance(value, float):
                assert float(line[name]) == pytest.approx(value, abs=6e-5), name
            elif isinstance(value, str):
                assert line[name] == value, name
    assert [line["easier"] for line in lines.values()] == ["too few examples"]
    names = [c["construction"] for c in compared["constructions"]]
    shown = Page(site[INDEX]).cells
    assert shown[: len(names)] == ["– too few treebanks"] * 2
    answers = {(c["treebank"], c["construction"]): c["easier"] for c in compared["differences"]}
    cells = iter(shown[len(names) :])
    for treebank in ("UD_X", "UD_Y", "UD_Z"):
        for construction in names:
            answer = answers.get((treebank, construction), str(Answer.TOO_FEW_EXAMPLES))
            assert f" {answer}" in next(cells)


def test_every_cell_says_its_answer_by_word_colour_and_mark(run: StoredRun, site: dict[str, bytes]) -> None:
    assert len(set(MARKS.values())) == len(CellOutcome)
    evidence = evidence_of(run)
    outcomes = {key: cell.outcome(Score.UAS) for key, cell in cells_of(evidence).items()}
    page = site[INDEX].decode()
    for outcome in CellOutcome:
        count = sum(found is outcome for found in outcomes.values())
        assert page.count(f'data-outcome="{outcome}"') == count
    assert CellOutcome.BASE in outcomes.values()
    assert CellOutcome.ALTERNATIVE in outcomes.values()
    assert outcomes["UD_Z@1.3", "det"] is CellOutcome.FEW


def test_an_open_answer_says_what_it_excludes(run: StoredRun, site: dict[str, bytes]) -> None:
    pages = [data.decode() for name, data in site.items() if name.startswith("treebank")]
    found = [
        cell for cell in cells_of(evidence_of(run)).values() if cell.outcome(Score.UAS) is CellOutcome.OPEN
    ]
    assert found
    for cell in found:
        difference = cell.difference(Score.UAS)
        assert difference is not None
        said = f": UD is at most {difference.high:.1f} points ahead, and the alternative at most"
        assert any(said in page for page in pages)


def test_the_side_of_a_cell_is_the_one_with_the_higher_score(run: StoredRun) -> None:
    signs = {CellOutcome.BASE: 1, CellOutcome.ALTERNATIVE: -1}
    checked = []
    for cell in cells_of(evidence_of(run)).values():
        difference, outcome = cell.difference(Score.UAS), cell.outcome(Score.UAS)
        if difference is not None and outcome in signs:
            assert difference.delta * signs[outcome] > 0
            checked.append(outcome)
    assert set(checked) == set(signs)


def test_untested_cells_show_no_interval(run: StoredRun) -> None:
    cell = next(iter(cells_of(evidence_of(run)).values()))
    difference = Difference(None, None, 1.0, low=0.5, high=1.5)
    shown = {outcome: interval_text(difference, ShownAnswer("", outcome), cell) for outcome in CellOutcome}
    assert {outcome for outcome, text in shown.items() if not text} == {CellOutcome.FEW, CellOutcome.MISSING}


def test_drawn_intervals_have_ud_at_the_right() -> None:
    drawing = strip(Difference(None, None, 1.0, low=-0.5, high=2.0), CellOutcome.OPEN, 2.0)
    at = {name: float(re.search(pattern, drawing)[1]) for name, pattern in PLACES.items()}  # type: ignore[index]
    assert at["low"] < STRIP_WIDTH / 2 < at["delta"] < at["high"] == STRIP_WIDTH - 5
    assert strip(Difference(None, None, 1.0), CellOutcome.FEW, 2.0) == ""


PLACES = {"delta": r'cx="(\d+)"', "low": r'd="M(\d+) \d+H', "high": r"H(\d+)"}
"""Where a drawing of an interval has its parts."""


def check_links(site: dict[str, bytes]) -> None:
    """Every link leads to a file and a part of it; no id stands twice."""
    pages = {name: Page(data) for name, data in site.items() if name.endswith(".html")}
    for name, page in pages.items():
        assert len(page.ids) == len(set(page.ids)), name
        for link in page.links:
            parts = urlsplit(urljoin(f"file:///{name}", link))
            if parts.scheme != "file":
                assert parts.netloc == "doi.org"
                continue
            target = unquote(parts.path.removeprefix("/"))
            assert target in site, (name, link)
            if parts.fragment:
                assert unquote(parts.fragment) in pages[target].ids, (name, link)


def test_all_links_resolve(site: dict[str, bytes]) -> None:
    check_links(site)
    for line in lines_of(site):
        page, _, fragment = line["page"].partition("#")
        assert fragment in Page(site[page]).ids


def test_odd_names(run: StoredRun) -> None:
    names = ("UD_Ünï <b>&amp;", "UD_A@1.3", "ud_a-1.3", "../up", "UD_" + "x" * 90)
    rows = [
        pair(name, construction, 1.0, 0.3, release="")
        for name in names
        for construction in ("case:lemma=of|to", "sch\"eme's")
    ]
    odd = hand_run(Path("run"), rows=rows, release="")
    treebanks = [replace(treebank, label=treebank.name) for treebank in odd.config.treebanks]
    odd = replace(odd, config=replace(odd.config, treebanks=treebanks))
    site = site_of(odd)
    check_links(site)
    assert len([name for name in site if name.startswith("treebanks/")]) == len(names)
    assert all(name.count("/") <= 1 and len(name) < 120 for name in site)
    assert b"<b>&" not in site[INDEX]


def test_link_names_do_not_depend_on_other_names() -> None:
    plain = ["UD_Irish@1.3", "case", "cop:reattach=clause"]
    assert list(link_names(plain).values()) == ["UD_Irish-1.3", "case", "cop-reattach-clause"]
    odd = "case:lemma=of|to"
    alone, among = link_names([odd])[odd], link_names([*plain, odd, "case:lemma=of/to"])[odd]
    assert alone == among
    assert alone.startswith("case-lemma-of-to-")
    folded = link_names(["UD_A", "ud_a"])
    assert len({link.casefold() for link in folded.values()}) == 2


def test_two_releases_stand_side_by_side() -> None:
    new, old = hand_run(Path("new"), release="2.10"), hand_run(Path("old"), release="2.9")
    site = site_of(new, old)
    labels = [name for name in site if name.startswith("treebanks/UD_X")]
    assert labels == ["treebanks/UD_X-2.9.html", "treebanks/UD_X-2.10.html"]
    check_links(site)
    page = site[labels[0]].decode()
    assert 'href="../treebanks/UD_X-2.10.html"' in page


def test_what_is_compared_in_one_treebank_only(run: StoredRun) -> None:
    rows = [
        pair("UD_X", "case", 1.0, 0.9),
        pair("UD_X", "det", 0.5, 0.8),
        pair("UD_Y", "case", 1.0, 0.7),
    ]
    site = site_of(hand_run(Path("run"), rows=rows))
    assert Page(site[INDEX]).cells[-1] == "– not compared"
    assert Answer.OPEN in Page(site[INDEX]).cells[2]
    check_links(site)


CELTIC = ("Irish", "Welsh", "Breton", "Manx", "Scottish_Gaelic")


def test_only_families_of_five_languages_have_a_mean() -> None:
    rows = [pair(f"UD_{name}", "det", 1.0, 0.3) for name in (*CELTIC, "Greek", "Ancient_Greek")]
    site = site_of(hand_run(Path("run"), rows=rows))
    page = site["constructions/det.html"].decode()
    families = re.findall(r'scope="rowgroup"[^>]*>([^<]+?) ?(<small>[^<]*</small>)?</th>', page)
    assert [(name, bool(mean)) for name, mean in families] == [("Celtic", True), ("Hellenic", False)]
    assert Page(site[INDEX]).cells[0] == "▲ UD UD +1.0"


def test_one_treebank() -> None:
    site = site_of(hand_run(Path("run"), only=["UD_X"]))
    check_links(site)
    assert sorted(name for name in site if "/" in name) == [
        "constructions/case.html",
        "constructions/det.html",
        "treebanks/UD_X-1.3.html",
    ]


@pytest.mark.usefixtures("drawn_figures")
def test_figures_are_shorter_and_say_the_same() -> None:
    run = hand_run(Path("run"), release="2.16")
    evidence = evidence_of(run)
    (case,) = ((c, score) for name, c, score in evidence.list_scored() if name == "case")
    page = site_of(run)["constructions/case.html"].decode()
    (figure,) = treebanks_figures([case])
    whole = figure.svg
    short = re.findall(r"<svg xmlns:xlink.*?</svg>", page, flags=re.DOTALL)[0]
    texts, short_texts = (re.findall(r"<text[^>]*>([^<]+)</text>", svg) for svg in (whole, short))
    assert short_texts == texts
    assert "X@2.16" in texts
    assert len(short) < 0.8 * len(whole)
    referred = re.findall(r'(?:href="#|url\(#)([^")]+)', short)
    assert set(referred) <= set(re.findall(r' id="([^"]+)"', short))


def test_several_parsers_stand_together(run: StoredRun) -> None:
    other = with_parser(run, "udpipe", lambda delta: -delta)
    evidence = evidence_of(run, other)
    site = site_of(run, other)
    check_links(site)
    pairs = {(p.rows[0].treebank_label, p.rows[0].name): p for p in evidence.combine_parsers()}
    assert {column.title for column in columns_of(evidence)} == {"case", "det"}
    assert Page(site[INDEX]).cells[0].endswith("2 parsers")
    for (treebank, construction), all_parsers in pairs.items():
        cell = cells_of(evidence)[treebank, construction]
        assert [row.parser for row in cell.rows] == ["arc-eager", "udpipe"]
        assert cell.difference(Score.UAS).delta == all_parsers.mean_delta  # type: ignore[union-attr]
        page = site["treebanks/" + Links([treebank], []).treebanks[treebank] + ".html"].decode()
        assert f"All parsers on {construction}" in page
    assert len(lines_of(site)) == 12


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A run, and a treebank that its config.json names, with the digests of its files."""
    folder = tmp_path_factory.mktemp("stored")
    treebank = small_treebank(folder / "ud", "UD_X")
    return write_run(folder / "run", only=["UD_X"]), treebank


def with_digests(run: Path, treebank: Path, *, changed: bool = False) -> StoredRun:
    """The run as if it had read these files, or others of the same name."""
    config = json.loads((run / "config.json").read_text())
    (entry,) = config["treebanks"]
    entry["sha256"] = {
        str(path): hashlib.sha256(path.read_bytes() + b"x" * changed).hexdigest()
        for path in treebank.glob("*.conllu")
    }
    (run / "config.json").write_text(json.dumps(config))
    return read_run(run)


def test_sentences_of_a_treebank_are_drawn_while_it_is_the_same(stored: tuple[Path, Path]) -> None:
    run, treebank = stored
    read = with_digests(run, treebank)
    found = {"UD_X@1.3": locate_treebank(treebank)}
    source = SentenceSource([read], lambda config: found)
    for name in ("case", "det"):
        pairs = [c for c in read.pairs if c.construction == name]
        drawn = source.pairs(pairs)
        assert len(drawn.pairs) == 3
        assert drawn.absent == ""
        for drawing in drawn.pairs:
            assert 5 <= len(drawing.base) <= 16
            assert drawing.predicted is None
            moved = [a != b for a, b in zip(drawing.base.heads, drawing.alternative.heads, strict=True)]
            assert any(moved)
            labels = zip(drawing.base.deprels, drawing.base.heads, strict=True)
            assert any(name == deprel and moved[i] for i, (deprel, _) in enumerate(labels))
    site = atlas_files(evidence_of(read), [read], SentenceSource([read], lambda config: found))
    page = site["treebanks/UD_X-1.3.html"].decode()
    assert page.count('<figure class="sentence">') == 6
    construction = site["constructions/case.html"].decode()
    said, drawn, answer = (
        construction.index(text)
        for text in (
            "Adpositions and case markers head their noun phrase: <code>case</code></h1>",
            '<figure class="sentence">',
            "Over all treebanks",
        )
    )
    assert said < drawn < answer


def test_a_construction_never_opens_with_withheld_words(tmp_path: Path) -> None:
    """The treebank with withheld words comes first by its name, and has as many examples."""
    names = ("UD_A", "UD_B")
    banks = {name: small_treebank(tmp_path / "ud", name) for name in names}
    for path in banks["UD_A"].glob("*.conllu"):
        text = re.sub(r"^(\d+)\t[^\t]+", r"\1\t_", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
        path.write_text(text, encoding="utf-8")
    run = hand_run(Path("run"), rows=[pair(name, "case", 1.0, 0.3) for name in names])
    entries = [
        replace(
            entry,
            sha256={
                path.name: hashlib.sha256(path.read_bytes()).hexdigest()
                for path in banks[entry.name].glob("*.conllu")
            },
        )
        for entry in run.config.treebanks
    ]
    stored = [replace(run, config=replace(run.config, treebanks=entries))]
    found = {f"{name}@1.3": locate_treebank(bank) for name, bank in banks.items()}
    site = atlas_files(combine_runs(stored), stored, SentenceSource(stored, lambda config: found))
    page = site["constructions/case.html"].decode()
    (quoted,) = re.findall(r"<q[^>]*>(.*?)</q>", page)
    assert "_" not in quoted.split()
    assert "_ _" in site["treebanks/UD_A-1.3.html"].decode()


def test_an_answer_says_how_to_cite_it(site: dict[str, bytes]) -> None:
    page = site["treebanks/UD_X-1.3.html"].decode()
    (entry,) = re.findall(r'data-address="treebanks/UD_X-1.3.html#det"><code>(.*?)</code>', page, re.DOTALL)
    assert re.match(r"@misc\{det-in-ud_x-1.3-[0-9a-f]{8},\n  author = \{\{.+\}\},\n  title = ", entry)
    assert "url" not in entry  # of the server, which only the script knows
    det = [cell for cell in lines_of(site) if cell["construction"] == "det"]
    (easier,) = [cell["easier"] for cell in det if cell["treebank"] == "UD_X"]
    side = "UD" if easier == "UD" else "the alternative"
    assert easier in ("UD", "alternative")
    assert rf"det in UD\_X 1.3: {side} is easier to learn" in entry
    assert "#det" not in "".join(
        re.findall(r'data-address="([^"]+)"', site["treebanks/UD_Z-1.3.html"].decode())
    )


def test_the_first_page_answers_both_questions(run: StoredRun) -> None:
    pairs = []
    for c in run.pairs:
        answers = {**c.row.answers, (Score.UAS, Question.TRAIN_ON): c.row.easier(Score.UAS)}
        pairs.append(replace(c, row=replace(c.row, answers=answers)))
    site = site_of(replace(run, pairs=tuple(pairs)))
    page = site[INDEX].decode()
    lines = {(line["treebank"], line["construction"]): line["train_on"] for line in lines_of(site)}
    assert {"UD", "alternative"} <= set(lines.values())
    for name in ("UD", "alternative"):
        count = sum(answer == name for answer in lines.values())
        assert page.count(f'data-train="{name}"') == count
        assert f"<option>{name}</option>" in page


def test_why_nothing_is_drawn(stored: tuple[Path, Path]) -> None:
    run, treebank = stored
    found = {"UD_X@1.3": locate_treebank(treebank)}
    read = with_digests(run, treebank, changed=True)
    first = read.pairs[:1]
    assert SentenceSource([read], lambda config: found).pairs(first).absent == (
        "No drawings: the run keeps no sentences, and its treebank has changed."
    )
    assert SentenceSource([read], lambda config: {}).pairs(first).absent == (
        "No drawings: the run keeps no sentences, and its treebank is not found."
    )
    imported = [replace(first[0], row=hand_row(first[0].row) | {"alternative": "treebank:other"})]
    assert SentenceSource([read], lambda config: found).pairs(imported).absent != ""


def test_commands_and_digests_are_on_the_page(stored: tuple[Path, Path]) -> None:
    run, treebank = stored
    read = with_digests(run, treebank)
    read = replace(read, config=replace(read.config, command_line="learnability run --treebank <X>"))
    page = atlas_files(evidence_of(read), [read], SentenceSource([read], lambda config: {}))
    text = page["treebanks/UD_X-1.3.html"].decode()
    assert "learnability run --treebank &#39;&lt;X&gt;&#39;" in text  # as a shell reads it
    for digest in read.config.treebanks[0].sha256.values():
        assert digest in text
