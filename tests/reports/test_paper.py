"""What a paper needs of finished runs: the table has their numbers, and LaTeX gets what it can set."""

from __future__ import annotations

import csv
import html
import io
import re
import shutil
import subprocess
import unicodedata
from dataclasses import replace
from pathlib import Path

import pytest
from finished_runs import config, hand_run, pair, write_run
from invoking import Call

from learnability.comparing.pair import AnnotationFacts
from learnability.evidence.rows import ComparisonRow
from learnability.evidence.score_differences import Difference, ScoringBasis
from learnability.evidence.survey import combine_runs
from learnability.metrics.scores import Score
from learnability.reports.bibliography import YEAR, YEARS, references
from learnability.reports.figures import forest
from learnability.reports.latex import escape_latex
from learnability.reports.paper import MOST_LINES, paper_files, write_methods, write_results, write_table
from learnability.reports.text import Table
from learnability.reports.verdicts import verdict
from learnability.running.config import TreebankDesign

CONFIG = config(versions={"learnability": "1.0.0"})


def rows_of(tmp_path: Path) -> list[ComparisonRow]:
    return [pair.row for pair in hand_run(tmp_path / "run").pairs]


def cells(tex: str) -> list[list[str]]:
    """The cells of the lines between the rules of a table, as text."""
    body = tex.partition("\\midrule\n")[2].partition("\\bottomrule")[0].replace("\\midrule\n", "")
    plain = re.sub(r"\\textbf\{(.*?)\}", r"\1", body).replace("$", "").replace("\\_", "_")
    return [line.removesuffix(" \\\\").split(" & ") for line in plain.strip().splitlines()]


def test_the_table_has_every_comparison_with_its_numbers(tmp_path: Path) -> None:
    rows = [row for row in rows_of(tmp_path) if row.tested]
    found = cells(write_table(rows))
    assert len(found) == len(rows)
    treebank = ""
    for row, line in zip(rows, found, strict=True):
        treebank = line[0] or treebank
        difference = row.difference()
        assert difference is not None
        assert (treebank, line[1]) == (" ".join(filter(None, (row.treebank, row.release))), row.name)
        shown = re.match(r"([+-]?[\d.]+) \[([+-]?[\d.]+), ([+-]?[\d.]+)\]", line[4])
        assert shown is not None, line[4]
        expected = (difference.delta, difference.low, difference.high)
        assert [float(number) for number in shown.groups()] == pytest.approx(expected, abs=0.005)
    assert "Tested on the test set." in write_table(rows)


def test_what_rows_rest_on_is_a_column_where_they_differ(tmp_path: Path) -> None:
    one, other, *_ = (row for row in rows_of(tmp_path) if row.tested)
    rows = [one, replace(other, folds=5)]
    assert [line[-1] for line in cells(write_table(rows))] == ["test set", "all"]
    assert "Tested on the" not in write_table(rows)
    assert "Tested on all sentences." in write_table(rows[1:])


def test_a_row_with_too_few_examples_has_no_number(tmp_path: Path) -> None:
    rows = [
        replace(
            row,
            differences={
                (Score.UAS, basis): Difference(80.0, 80.75, -0.75)
                for basis in (ScoringBasis.ANNOTATION, ScoringBasis.CONVERTED)
            },
        )
        for row in rows_of(tmp_path)[-1:]
    ]
    ((_, _, *numbers, answer, back, train_on),) = cells(write_table(rows))
    assert (answer, *numbers, back, train_on) == ("too few", *[""] * 6)


def test_clear_differences_are_bold(tmp_path: Path) -> None:
    rows = [row for row in rows_of(tmp_path) if row.tested]
    clear = [row for row in rows if (found := row.difference()) is not None and found.is_clear]
    assert 0 < len(clear) < len(rows)
    assert write_table(rows).count(r"\textbf{") == len(clear)


def test_a_long_table_goes_over_several_pages(tmp_path: Path) -> None:
    (row, *_) = (row for row in rows_of(tmp_path) if row.tested)
    assert r"\begin{longtable}" not in write_table([row] * MOST_LINES)
    assert write_table([row] * (MOST_LINES + 1)).count(r"\end{longtable}") == 1


@pytest.mark.usefixtures("drawn_figures")
def test_the_files_are_the_same_each_time_and_figures_have_the_data_of_the_table(tmp_path: Path) -> None:
    rows = rows_of(tmp_path)
    files = paper_files(rows, [CONFIG])
    assert files == paper_files(rows, [CONFIG])
    tested = [row for row in rows if row.tested]
    data = list(csv.DictReader(io.StringIO(files["differences.csv"].decode())))
    lines = cells(files["table.tex"].decode())
    assert (len(lines), len(data)) == (len(rows), len(tested))
    assert [line[2:6] for line in lines if "too few" in line] == [[""] * 4] * (len(rows) - len(tested))
    pdf = files["differences.pdf"]
    assert pdf.startswith(b"%PDF")
    assert not re.search(rb"0\.0039215686 0\.0078431373 0\.0\d+ (rg|RG)", pdf)  # stands for a role
    assert b"0.1215686275 0.3725490196 0.6588235294" in pdf  # blue: UD
    assert b"CreationDate" not in pdf


@pytest.mark.usefixtures("drawn_figures")
def test_names_in_figures_are_no_formulas(tmp_path: Path) -> None:
    """Dollars are letters of a name; between two of them there is no formula."""
    (row, *_) = rows_of(tmp_path)
    names = ("form=$x_2$", "form=$\\nothing$")
    picture = paper_files([row | {"variant": name} for name in names], [CONFIG])["differences.svg"]
    assert [name for name in names if name not in html.unescape(picture.decode())] == []


def test_everything_that_is_cited_is_in_the_references(tmp_path: Path) -> None:
    rows = rows_of(tmp_path)
    files = paper_files(rows, [CONFIG])
    text = files["methods.tex"].decode() + files["results.tex"].decode()
    cited = {key for keys in re.findall(r"\\cite[pt]\{(.*?)\}", text) for key in keys.split(",")}
    known = set(re.findall(r"^@\w+\{(.*?),$", files["references.bib"].decode(), re.MULTILINE))
    assert cited == known
    assert {"learnability", "wisniewski-2018", "holm-1979"} <= cited
    assert "lan-1983" not in known  # nothing was tested on all sentences


def test_a_release_is_cited_with_its_handle(tmp_path: Path) -> None:
    rows = [pair.row for pair in hand_run(tmp_path / "run", release="2.16").pairs]
    entry = references(rows, [CONFIG])["ud-2.16"]
    assert "title = {Universal Dependencies 2.16}" in entry
    assert "https://hdl.handle.net/11234/1-5901" in entry


def test_the_commands_write_it(call: Call, tmp_path: Path) -> None:
    run, place = write_run(tmp_path / "run"), tmp_path / "new" / "paper"
    done = call("compare", run, "--paper", place)
    assert done.code == 0, done.errors
    assert {"table.tex", "methods.tex", "results.tex", "references.bib", "main.tex"} <= {
        path.name for path in place.iterdir()
    }
    (place / "table.tex").write_text("mine", encoding="utf-8")
    refused = call("compare", run, "--paper", place)
    assert (refused.code, "table.tex is not as we wrote it" in refused.errors) == (2, True)


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="there is no LaTeX; apt-get install texlive")
@pytest.mark.usefixtures("drawn_figures")
@pytest.mark.parametrize("times", [1, 40])
def test_latex_compiles_the_folder(tmp_path: Path, times: int) -> None:
    """Short tables and long ones fit between the margins, with long names and parsers."""
    rows = rows_of(tmp_path) * times
    named = [
        replace(row, treebank="UD_Ancient_Greek-PROIEL", parser=f"graph:p{i % 2}")
        for i, row in enumerate(rows)
    ]
    for name, data in paper_files(named, [CONFIG]).items():
        (tmp_path / name).write_bytes(data)
    for command in (["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "main"], ["bibtex", "main"]):
        subprocess.run(command, cwd=tmp_path, check=True, stdout=subprocess.DEVNULL)
    log = (tmp_path / "main.log").read_text(encoding="latin-1")
    too_wide = [float(points) for points in re.findall(r"Overfull \\hbox \(([0-9.]+)pt", log)]
    assert all(points < 2 for points in too_wide), too_wide


BEYOND = {
    "form=на": "на", "form=του": "του", "form=a\u030c": "\u01ce", "form=في": "في",
    "form={~^}": "{~^}", "form=--": "--",
}  # fmt: skip
"""Constructions, with what stands of them in a PDF."""


def compile_folder(folder: Path, files: dict[str, bytes]) -> tuple[int, str, str]:
    """Compile a folder with the engine that its first line names: the exit code, the log, and the text."""
    for name, data in files.items():
        (folder / name).write_bytes(data)
    engine = re.match(rb"% !TEX program = (\w+)\n", files["main.tex"])
    assert engine is not None
    program = engine[1].decode()
    if shutil.which(program) is None or shutil.which("pdftotext") is None:
        pytest.skip(f"there is no {program} or pdftotext; apt-get install texlive-luatex poppler-utils")
    code = 0
    for command in ([program, "-interaction=nonstopmode", "-halt-on-error", "main"], ["bibtex", "main"]) * 2:
        code = code or subprocess.run(command, cwd=folder, stdout=subprocess.DEVNULL).returncode
    log = (folder / "main.log").read_text(encoding="utf-8", errors="replace")
    text = subprocess.run(["pdftotext", "-layout", "main.pdf", "-"], cwd=folder, capture_output=True).stdout
    return code, log, text.decode()


@pytest.mark.usefixtures("drawn_figures")
def test_letters_beyond_latin_are_in_the_pdf(tmp_path: Path) -> None:
    (row, *_) = rows_of(tmp_path)
    rows = [row | {"construction": "case", "variant": name, "treebank": "UD_Ελληνικά"} for name in BEYOND]
    files = paper_files(rows, [CONFIG])
    assert all(
        data.startswith(b"% !TEX program = lualatex\n") for name, data in files.items() if name[-4:] == ".tex"
    )
    code, log, text = compile_folder(tmp_path, files)
    assert (code, re.findall("Missing character.*", log)) == (0, [])
    missing = [
        shown
        for shown in (*BEYOND.values(), "UD_Ελληνικά")
        if shown not in unicodedata.normalize("NFKC", text)
    ]
    assert missing == []


@pytest.mark.usefixtures("drawn_figures")
def test_words_from_right_to_left_turn_no_other_letters_around(tmp_path: Path) -> None:
    """In tables, too; Arabic letters are joined."""
    (row, *_) = rows_of(tmp_path)
    words = ("\u05e9\u05dc\u05d5\u05dd", "\u0643\u062a\u0627\u0628")
    rows = [row | {"construction": "case", "variant": f"form={word}", "treebank": "UD_X"} for word in words]
    code, log, text = compile_folder(tmp_path, paper_files(rows, [CONFIG]))
    assert (code, "Missing character" in log) == (0, False)
    plain = re.sub("[\u202a-\u202e]", "", unicodedata.normalize("NFKC", text))
    for word in words:
        assert f"case:form={word}" in plain
    assert "mrof" not in text


def test_words_from_right_to_left_are_marked_with_their_spaces() -> None:
    hebrew, marked = "\u05d0\u05d1", "\u05d0\u05b7\u05d1"
    assert escape_latex(f"a={hebrew}|{marked} {hebrew}_b") == (
        rf"a$=${{\textdir TRT {hebrew}}}$|${{\textdir TRT {marked} {hebrew}}}\_b"
    )


@pytest.mark.usefixtures("drawn_figures")
@pytest.mark.filterwarnings("error")
def test_letters_that_a_figure_cannot_have_are_said_once(tmp_path: Path) -> None:
    """matplotlib would warn of each of them, in each picture, with a line of code."""
    (row, *_) = rows_of(tmp_path)
    rows = [row | {"construction": "case", "variant": "form=\U00012000a\U0001e900"}]
    said: list[str] = []
    files = paper_files(rows, [CONFIG], said.append)
    (name,) = [name.removesuffix(".pdf") for name in files if name.endswith(".pdf")]
    assert said == [
        f"{name}.pdf has boxes in place of \U00012000, \U0001e900, because no font of matplotlib has them; "
        f"{name}.svg has them as text"
    ]
    assert "\U00012000a\U0001e900" in files[f"{name}.svg"].decode()


def test_the_years_are_those_of_the_citation_file_and_of_releases() -> None:
    citation = (Path(__file__).parents[2] / "CITATION.cff").read_text(encoding="utf-8")
    assert f"date-released: {YEAR}-" in citation
    assert (YEARS["1.3"], YEARS["2.4"], YEARS["2.16"]) == ("2016", "2019", "2025")


def test_methods_say_how_often_parsers_were_trained_and_on_what(tmp_path: Path) -> None:
    rows = [row for row in rows_of(tmp_path) if row.tested]
    whole = [replace(row, folds=10, seeds=2) for row in rows]
    settled = config(studies={"run": {}, "settle": {}})
    assert "Each parser was trained 3 times" in write_methods(
        [replace(row, seeds=3) for row in rows], [CONFIG]
    )
    crossed = write_methods(whole, [CONFIG])
    trained = "in each of 10 folds by parsers that were trained on the others 2 times, with different random"
    assert trained in crossed
    assert "stopping rule" not in crossed
    both = write_methods([replace(rows[0], seeds=3), whole[1]], [settled])
    assert "For the test set, each parser was trained 3 times" in both
    assert "(for each fold 2 times, with different random numbers), with a stopping rule" in both
    # one training has no others to differ from
    once = write_methods([replace(row, seeds=1) for row in rows], [CONFIG])
    assert "Each parser was trained once." in once
    assert "we cannot measure training noise, so we use typical values from other treebanks.\n" in once
    assert "training noise" not in write_methods([replace(row, seeds=3) for row in rows], [CONFIG])


def test_methods_count_the_treebanks_that_are_not_split_as_released(tmp_path: Path) -> None:
    rows = [row for row in rows_of(tmp_path) if row.tested]
    labels = list(dict.fromkeys(row.treebank_label for row in rows))
    policies = ("pooled (train) and cut 80:10:10", "no train split: ...", "no test set: 10 folds")
    treebanks = [
        TreebankDesign(label, label, folds=10 if "folds" in policy else 1, split_policy=policy)
        for label, policy in zip([*labels, "UD_Other"], [*policies, "no dev split: ..."], strict=True)
    ]
    told = write_methods(rows, [replace(CONFIG, treebanks=tuple(treebanks))])
    first, second, third = map(escape_latex, labels)
    assert (
        f"Not split as released: 1 pooled and cut ({first}); 1 dev in place of train ({second}); "
        f"1 cross-validated ({third}).\n"
    ) in told
    assert "Not split as released" not in write_methods(rows, [replace(CONFIG, treebanks=())])


def test_methods_say_what_parsers_saw(tmp_path: Path) -> None:
    rows = [row for row in rows_of(tmp_path) if row.tested]
    label = rows[0].treebank_label
    sized = config(train_tokens={label: [1200, 1250], "UD_Other": [7]})
    assert "Parsers were trained on 1,250 tokens." in write_methods(rows, [sized])
    assert "tokens" not in write_methods(rows, [CONFIG])
    other = [replace(rows[0], treebank="UD_Other", release=""), *rows]
    assert "trained on 7 to 1,250 tokens, depending on the treebank." in write_methods(other, [sized])
    predicted = replace(sized, options={**sized.options, "tags": "predicted"})
    assert "gold UPOS" in write_methods(rows, [sized])
    assert "UPOS tags that a tagger predicted" in write_methods(rows, [predicted])
    assert "gold UPOS" not in write_methods(rows, [sized, predicted])


def test_the_table_has_differences_after_conversion(tmp_path: Path) -> None:
    rows = [row for row in rows_of(tmp_path) if row.tested]
    column = write_table(rows).partition(r"\toprule")[2].splitlines()[1].split(" & ").index("Back")
    assert {line[column] for line in cells(write_table(rows))} == {""}  # nothing was converted
    difference = rows[0].difference()
    assert difference is not None
    back = {(Score.UAS, ScoringBasis.CONVERTED): replace(difference, delta=-1.25)}
    converted = [replace(rows[0], differences={**rows[0].differences, **back}), *rows[1:]]
    assert [line[column] for line in cells(write_table(converted))] == ["-1.25", *("" for _ in rows[1:])]


def test_the_results_are_the_sentences_of_reports(tmp_path: Path) -> None:
    rows = [row for row in rows_of(tmp_path) if row.tested and row.treebank == "UD_X"]
    paragraphs = write_results(rows).replace("$", "").replace("\\", "").strip().split("\n\n")
    for row, paragraph in zip(rows, paragraphs, strict=True):
        name, _, told = verdict(row).partition(": ")
        assert paragraph == f"paragraph{{{name}}} {told[0].upper()}{told[1:]}"


def test_a_few_treebanks_are_named_in_the_results(tmp_path: Path) -> None:
    rows = [row for row in rows_of(tmp_path) if row.tested]
    case, *_ = write_results([replace(row, parser="graph") for row in rows]).splitlines()
    assert case.startswith(
        r"\paragraph{case} On UD\_X with graph, UD is easier to learn. It scores 1.0 points"
    )


LANGUAGES = {"Irish": 1.0, "Tamil": -0.5, "Turkish": 2.5, "Greek": 3.0, "Hungarian": 0.5}
"""A difference for each language."""


@pytest.mark.usefixtures("drawn_figures")
def test_several_treebanks_have_a_mean_in_table_and_text(tmp_path: Path) -> None:
    found = [
        pair(f"UD_{language}", "case", delta, 0.001 + abs(delta - 2) / 4)
        for language, delta in LANGUAGES.items()
    ]
    evidence = combine_runs(
        [hand_run(tmp_path / "run", rows=[*found, pair("UD_Tamil", "det", None, places=0)])]
    )
    files = {
        name: data.decode()
        for name, data in paper_files(evidence.rows, [CONFIG], None, evidence).items()
        if name.endswith("tex")
    }
    (mean,) = (each for each in evidence.means() if each["comparison"] == "own_annotation")
    assert f" & {mean['tau']:.2f} & " in files["table.tex"]
    case, _, det = files["results.tex"].replace("$", "").splitlines()[1:]
    assert "On average over 5 treebanks of 5 languages, " in case
    assert "Each treebank alone: " in case
    assert "too few examples in UD\\_Tamil" in det
    assert "corrected by Holm's method for all constructions that have a mean." in files["methods.tex"]
    assert files["methods.tex"].count("95 \\%") == 1
    assert [name for name, text in files.items() if "95 \\%" in text] == ["methods.tex"]
    assert not re.search(r"\)[~ ]*\(|citep\{[^}]*\}[~ ]*(\\citep|\()", files["methods.tex"])
    combined = paper_files(
        evidence.rows,
        [CONFIG],
        None,
        combine_runs([hand_run(tmp_path / "run", rows=found)], without=["UD_Irish"]),
    )
    assert "Left out (by choice): UD\\_Irish." in combined["methods.tex"].decode()


def test_methods_define_the_alternatives_and_cite_their_scheme(tmp_path: Path) -> None:
    row = next(row for row in rows_of(tmp_path) if row.tested)
    assert r"\textit{case}: adpositions and case markers head their noun phrase." in write_methods(
        [row], [CONFIG]
    )
    sud = replace(row, pair=replace(row.pair, alternative=spelled("scheme:sud")))
    assert r"and its relations~\citep{gerdes-2018}." in write_methods([sud], [CONFIG])
    assert "gerdes-2018" in references([sud], [CONFIG])
    assert "gerdes-2018" not in references([row], [CONFIG])
    scheme = tmp_path / "mine.toml"
    scheme.write_text('description = "function words head their phrases"\n[[transform]]\nname = "case"\n')
    mine = replace(row, pair=replace(row.pair, alternative=spelled(f"scheme:{scheme}")))
    assert r"\textit{mine}: function words head their phrases (case)." in write_methods([mine], [CONFIG])
    gone = replace(row, pair=replace(row.pair, alternative=spelled("scheme:gone.toml")))
    assert r"\textit{gone}: case: adpositions and case markers head" in write_methods([gone], [CONFIG])
    copulas = replace(row, pair=replace(row.pair, alternative=spelled("cop:deprel=cop")))
    assert ": copulas head their predicate." in write_methods([copulas], [CONFIG])


def spelled(spelling: str) -> AnnotationFacts:
    title = Path(spelling.removeprefix("scheme:")).stem
    return AnnotationFacts(spelling, title, (title, ""), ("case",))


@pytest.mark.usefixtures("drawn_figures")
def test_no_label_of_a_figure_is_cut_off() -> None:
    from matplotlib.figure import Figure as Canvas
    from matplotlib.text import Text

    names = ["UD_Ancient_Greek-PROIEL function-first by graph:nonprojective", "UD_X cc"]
    data = Table("Differences", ("comparison",), ())
    difference = Difference(None, None, 1.0, low=-0.5, high=2.5)
    drawing = forest(
        "x", data, [(name, [difference]) for name in names], "UAS", "UD", axis=(-1.0, 3.0)
    ).drawing
    assert drawing is not None
    canvas = Canvas(figsize=(drawing.width, drawing.height), layout="constrained")
    drawing.draw(canvas)
    canvas.draw_without_rendering()
    for text in canvas.findobj(Text):
        if text.get_text().strip():
            box = text.get_window_extent()
            assert 0 <= box.x0 <= box.x1 <= drawing.width * canvas.dpi, text.get_text()
            assert 0 <= box.y0 <= box.y1 <= drawing.height * canvas.dpi, text.get_text()
