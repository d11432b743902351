"""Write what a paper needs of finished runs, in LaTeX: a table, figures, paragraphs and references.

The folder can be compiled as it is (``main.tex``), and its parts can be put into a paper.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from learnability.evidence.questions import Answer, Question
from learnability.evidence.rows import ComparisonRow
from learnability.evidence.score_differences import Difference, ScoringBasis
from learnability.evidence.survey import Construction, Evidence, describe_copied, describe_splits
from learnability.metrics.scores import FIRST_SCORE, Score
from learnability.reports.bibliography import (
    AVERAGING,
    SUD,
    SUD_NAME,
    cite_release,
    cited_parser,
    has_oracles,
    references,
    was_settled,
)
from learnability.reports.caveats import describe_copies
from learnability.reports.comparison_files import treebanks_figures
from learnability.reports.comparison_tables import FOR_A_MEAN, means_table
from learnability.reports.comparison_tables import verdict as verdict_together
from learnability.reports.figures import Figure
from learnability.reports.latex import escape_latex, latex_files
from learnability.reports.results import (
    NO_DIFFERENCE,
    NOT_COMPUTED,
    name_treebanks,
    names_of,
    parsers_of,
    shorten_answer,
)
from learnability.reports.run_figures import difference_figures
from learnability.reports.story import describe_annotation
from learnability.reports.text import format_signed, number, probability
from learnability.reports.verdicts import (
    describe_open,
    few_seeds,
    name_construction,
    summarise_treebanks,
    verdict,
)
from learnability.running.config import RunConfig
from learnability.support.nouns import count_noun, join_words

FEW_COLUMNS = 8
"""With more columns, a table is set in the smallest print."""

MOST_LINES = 40
"""The lines of a table that fit a page."""

MAIN = r"""\documentclass[a4paper,10pt]{article}
%FONTS%
\usepackage[margin=2cm]{geometry}
\usepackage{booktabs,graphicx,longtable,natbib,url}
\begin{document}
\section{Method}
\input{methods}
\section{Results}
\input{results}
\input{table}
%FIGURES%
\bibliographystyle{plainnat}
\bibliography{references}
\end{document}
"""


def paper_files(
    rows: Sequence[ComparisonRow],
    configs: Sequence[RunConfig],
    tell: Callable[[str], None] | None = None,
    evidence: Evidence | None = None,
) -> dict[str, bytes]:
    """Return the files of a paper's folder by name; the same rows give the same bytes.

    `tell` is called with a line for each figure in which letters are missing; `evidence`: what several
    treebanks say together.
    """
    averaged = evidence if evidence is not None and evidence.has_means else None
    figures = _figures(rows, evidence)
    included = "\n".join(map(_include_figure, figures))
    parts = {
        "table.tex": (write_means(averaged) if averaged else "") + write_table(rows),
        "methods.tex": write_methods(rows, configs, evidence),
        "results.tex": write_results(rows, evidence),
        "references.bib": "\n".join(references(rows, configs, has_means=averaged is not None).values()),
    }
    texts = latex_files(parts, MAIN.replace("%FIGURES%", included))
    files = {name: text.encode() for name, text in texts.items()}
    for each in figures:
        files |= each.files()
        files[f"{each.name}.pdf"] = each.pdf(tell)
    return files


def _include_figure(figure: Figure) -> str:
    caption = f"{escape_latex(figure.data.title)}. {escape_latex(figure.data.note)}"
    picture = rf"\includegraphics{{{figure.name}.pdf}}"
    return rf"\begin{{figure}}\centering{picture}\caption{{{caption}}}\end{{figure}}"


def write_table(rows: Sequence[ComparisonRow]) -> str:
    """Return a table of all comparisons: treebank, construction, parser, both scores, difference, answers.

    Rows without enough examples have only the answer.
    """
    parsers, scores = parsers_of(rows), _scores_of(rows)
    base = rows[0].base if rows else "UD"
    headings = ["Treebank", "Construction", *(["Parser"] if parsers else [])]
    headings += [*(["Score"] if len(scores) > 1 else []), base, "Alt.", "Difference", "$p$", "Easier"]
    converts = any(row.pair.has_conversion_back for row in rows)
    tested = _tested_on(rows)
    headings += [*(["Back", "Train on"] if converts else [])]
    headings += [*(["Tested on"] if len(tested) > 1 else [])]
    lines, before = [], ""
    for row in rows:
        for score in row.compared_scores or [FIRST_SCORE]:
            difference = row.difference(score)
            has_numbers = difference is not None and difference.shown is not None
            treebank = " ".join(filter(None, (row.treebank, row.release)))
            cells = ["" if treebank == before else treebank, row.name, *([row.parser] if parsers else [])]
            cells += [score.upper()] if len(scores) > 1 else []
            cells += _show_difference(difference)
            cells.append(_shorten(row.name_answer(Question.EASIER, score)))
            if converts:
                converted = row.difference(score, ScoringBasis.CONVERTED)
                cells.append(format_signed(converted.delta) if converted and has_numbers else "")
                cells.append(_shorten(row.name_answer(Question.TRAIN_ON, score)) if has_numbers else "")
            tested_on = row.tested_on(score).removesuffix(" sentences") if has_numbers else ""
            cells += [tested_on] if len(tested) > 1 else []
            escaped = list(map(escape_latex, cells))
            if difference is not None and difference.is_clear:
                place = headings.index("Difference")
                escaped[place] = rf"\textbf{{{escaped[place]}}}"
            rule = [r"\midrule"] if before not in ("", treebank) else []
            lines += [*rule, " & ".join(escaped) + r" \\"]
            before = treebank
    return _environment(headings, lines, _caption(rows, base), "learnability")


def _shorten(answer: str) -> str:
    short = answer.removesuffix(" examples") if answer == Answer.TOO_FEW_EXAMPLES else shorten_answer(answer)
    return short or NOT_COMPUTED


def _show_difference(difference: Difference | None) -> list[str]:
    if difference is None or difference.low is None or difference.high is None:
        return [""] * 4
    interval = f"[{format_signed(difference.low)}, {format_signed(difference.high)}]"
    shown = f"{format_signed(difference.delta)} {interval}"
    return [number(difference.base), number(difference.alternative), shown, probability(difference.p_holm)]


def write_means(evidence: Evidence) -> str:
    """Return the table of means over treebanks, as `compare` prints it."""
    found = means_table(evidence)
    lines, before = [], ""
    for name, *cells in found.rows:
        rule = [r"\midrule"] if before not in ("", name) else []
        shown = ["" if name == before else name, *cells]
        lines += [*rule, " & ".join(escape_latex(str(cell)) for cell in shown) + r" \\"]
        before = str(name)
    headings = ["Construction", "Comparison", "$n$", "Mean", r"$\tau$", "$I^2$", "In another language", "$p$"]
    caption = (
        r"Means over treebanks, in points, with the side that is ahead. $n$: treebanks / languages; $\tau$: "
        r"standard deviation of true differences between languages; $I^2$: share of the variance that is "
        "not measurement error; in another language: prediction interval; $p$ is corrected for all "
        "constructions that have a mean."
    )
    return _environment(headings, lines, caption, "means")


def _environment(headings: Sequence[str], lines: Sequence[str], caption: str, label: str) -> str:
    """Return the environment of a table: one that breaks between pages where it is long."""
    right = ("Alt.", "$p$", "Difference", "Back", "$n$", r"$\tau$", "$I^2$")
    columns = "".join("r" if name in right else "l" for name in headings)
    head = " & ".join(headings) + r" \\"
    # long names fit between margins of 2 cm
    size, gap = (r"\scriptsize", 2) if len(headings) > FEW_COLUMNS else (r"\small", 4)
    narrow = size + rf"\setlength{{\tabcolsep}}{{{gap}pt}}"
    if len(lines) > MOST_LINES:
        parts = [rf"{{{narrow}", rf"\begin{{longtable}}{{{columns}}}"]
        parts += [rf"\caption{{{caption}}}\label{{tab:{label}}}\\"]
        parts += [r"\toprule", head, r"\midrule", r"\endhead", *lines, r"\bottomrule", r"\end{longtable}}"]
    else:
        parts = [r"\begin{table}", rf"\centering{narrow}", rf"\begin{{tabular}}{{{columns}}}"]
        parts += [r"\toprule", head, r"\midrule", *lines, r"\bottomrule", r"\end{tabular}"]
        parts += [rf"\caption{{{caption}}}\label{{tab:{label}}}", r"\end{table}"]
    return "\n".join([*parts, ""])


def _tested_on(rows: Sequence[ComparisonRow]) -> list[str]:
    found = [row.tested_on(score) for row in rows for score in row.compared_scores if row.difference(score)]
    return list(dict.fromkeys(found))


def _caption(rows: Sequence[ComparisonRow], base: str) -> str:
    sentences = [
        f"Attachment scores of parsers that learned {base} or the alternative, each tested on its own "
        "annotation, and their difference in points with its interval; positive values mean that "
        f"{base} is ahead. Bold: the interval excludes 0.",
    ]
    if len(tested := _tested_on(rows)) == 1:
        sentences.append(
            f"Tested on the {tested[0]}." if tested[0] == "test set" else f"Tested on {tested[0]}."
        )
    if any(row.pair.has_conversion_back for row in rows):
        sentences.append(
            "Back: the difference after parses are converted back to UD. Train on: the annotation to "
            "train on if UD trees are needed."
        )
    if any(shorten_answer(row.name_answer(Question.EASIER)) == NO_DIFFERENCE for row in rows):
        sentences.append("No difference: under half a point.")
    return " ".join(sentences).replace("%", r"\%")


def write_methods(
    rows: Sequence[ComparisonRow], configs: Sequence[RunConfig], evidence: Evidence | None = None
) -> str:
    """Return the paragraph on the method."""
    treebanks = list(dict.fromkeys(row.treebank_label for row in rows))
    releases = sorted({row.release for row in rows if row.release})
    parsers = parsers_of(rows) or list(
        dict.fromkeys(parser.title for config in configs for parser in config.parsers)
    )
    base = rows[0].base if rows else "UD"
    bases = [row.answering_row(score) for row in rows for score in row.scores]
    seeds = sorted({row.seeds for row in bases if row.seeds and not row.tests_all_places})
    cited = ",".join(["universal-dependencies", *map(cite_release, releases)])
    names = f"The parser{'s' if len(parsers) > 1 else ''} {join_words(list(map(_cite_parser, parsers)))}"
    sentences = [
        rf"We measured with \texttt{{learnability}}~\citep{{learnability}}, after \citet{{wisniewski-2018}}, "
        f"which annotation parsers learn better, on {_name_treebanks(treebanks)} of Universal "
        rf"Dependencies~\citep{{{cited}}}. Table~\ref{{tab:learnability}} has all differences.",
        f"{names} learned {escape_latex(base)}, or an alternative "
        "annotation, and each was tested on its own annotation, and after its parses were converted back to "
        "UD."
        if any(row.pair.has_conversion_back for row in rows)
        else f"{names} learned {escape_latex(base)}, or an "
        "alternative annotation, and each was tested on its own annotation.",
    ]
    sentences += [_define_alternatives(rows), _describe_sizes(rows, configs), _describe_tags(configs)]
    few = len(treebanks) <= NAMED_TREEBANKS
    sentences += map(escape_latex, describe_copies(rows) if few else describe_copied(rows))
    labels = {row.treebank_label for row in rows}
    designs = (treebank for config in configs for treebank in config.treebanks if treebank.label in labels)
    sentences += map(escape_latex, describe_splits(designs))
    settled = was_settled(rows, configs)
    if has_oracles(parsers):
        sentences.append(r"Transition-based parsers learned with dynamic oracles~\citep{goldberg-2013}.")
    whole = sorted({row.seeds for row in bases if row.seeds and row.tests_all_places})
    if seeds:
        on = "For the test set, each" if whole else "Each"
        sentences.append(f"{on} parser was trained {_describe_seeds(seeds)}.")
        sentences += few_seeds(seeds[0], advice="")
    if whole and not settled:
        folds = max(row.folds for row in bases)
        sentences.append(
            f"Every sentence was parsed: in each of {folds} folds by parsers that were trained on the others "
            f"{_describe_seeds(whole)}."
        )
    sentences.append(
        r"Differences were tested by a paired $t$ test over sentences and training runs; their variance "
        r"allows for neighbouring sentences that are alike~\citep{muller-2007,lazarus-2018}. Intervals have "
        r"a level of 95 \%; they and $p$ values are corrected by Holm's method for the constructions of a "
        r"treebank~\citep{holm-1979}. "
        r"No difference means that it is shown to be under half a point~\citep{schuirmann-1987}."
    )
    if whole and settled:
        sentences.append(
            "Where the test set left a question open, every sentence was parsed by parsers that were trained "
            f"on other folds of the treebank (for each fold {_describe_seeds(whole)}), with a stopping rule "
            r"that keeps the level~\citep{lan-1983}."
        )
    if evidence is not None:
        sentences += map(escape_latex, evidence.left_out)
    if evidence is not None and evidence.has_means:
        sentences.append(
            "Means over treebanks (Table~\\ref{tab:means}) are those of a random-effects meta-analysis with "
            "effects of the family of languages, the language and the treebank"
            rf"~\citep{{{','.join(AVERAGING)}}}. Their intervals and $p$ values "
            f"are corrected by Holm's method for all constructions that have a mean. {FOR_A_MEAN}"
        )
    return "\n".join([*filter(None, sentences), ""])


def _define_alternatives(rows: Sequence[ComparisonRow]) -> str:
    alternatives = {row.name: row.pair.alternative for row in rows if row.pair.base.is_ud}
    sentences = []
    for name, alternative in alternatives.items():
        if text := describe_annotation(alternative):
            cited = rf"~\citep{{{SUD}}}" if name == SUD_NAME else ""
            sentences.append(rf"\textit{{{escape_latex(name)}}}: {escape_latex(text)}{cited}.")
    return " ".join(["The alternatives to UD are these.", *sentences]) if sentences else ""


def _cite_parser(title: str) -> str:
    key = cited_parser(title)
    return escape_latex(title) + (rf"~\citep{{{key}}}" if key else "")


def _describe_sizes(rows: Sequence[ComparisonRow], configs: Sequence[RunConfig]) -> str:
    known = {label: tokens for config in configs for label, tokens in config.train_tokens.items()}
    labels = dict.fromkeys(row.treebank_label for row in rows)
    trained = sorted(max(known[label]) for label in labels if known.get(label))
    tested = sorted({row.test_sentences for row in rows if row.test_sentences})
    sizes = [
        f"{verb} on {_range(counts, noun)}"
        for verb, counts, noun in (("trained", trained, "token"), ("tested", tested, "sentence"))
        if counts
    ]
    if not sizes:
        return ""
    varies = trained[:1] != trained[-1:] or tested[:1] != tested[-1:]
    return f"Parsers were {join_words(sizes)}{', depending on the treebank' if varies else ''}."


def _range(counts: Sequence[int], noun: str) -> str:
    most = count_noun(counts[-1], noun)
    return most if counts[0] == counts[-1] else f"{counts[0]:,} to {most}"


TAGS_SEEN = {
    "gold": "Parsers saw the gold UPOS tags.",
    "xpos": "Parsers saw the gold XPOS tags.",
    "none": "Parsers saw no part-of-speech tags.",
    "only": "Parsers saw the gold UPOS tags in place of words.",
    "predicted": "Parsers saw UPOS tags that a tagger predicted, which was trained on other sentences.",
}


def _describe_tags(configs: Sequence[RunConfig]) -> str:
    tags = {str(config.options.get("tags", "gold")) for config in configs}
    return TAGS_SEEN.get(tags.pop(), "") if len(tags) == 1 else ""


def _describe_seeds(seeds: Sequence[int]) -> str:
    if len(seeds) > 1:
        return f"{seeds[0]} to {seeds[-1]} times, with different random numbers"
    return "once" if seeds[0] == 1 else f"{seeds[0]} times, with different random numbers"


NAMED_TREEBANKS = 3
"""More treebanks are counted, not named."""


def _name_treebanks(treebanks: Sequence[str]) -> str:
    few = len(treebanks) <= NAMED_TREEBANKS
    return escape_latex(join_words(list(treebanks))) if few else count_noun(len(treebanks), "treebank")


def write_results(rows: Sequence[ComparisonRow], evidence: Evidence | None = None) -> str:
    """Return the paragraphs on what was found, one for each construction, in the sentences of reports.

    With more treebanks than are named, a paragraph has what they say together, and counts those with each
    answer.
    """
    few = len({row.treebank_label for row in rows}) <= NAMED_TREEBANKS
    treebanks = name_treebanks(rows)
    paragraphs = []
    for name in dict.fromkeys(row.name for row in rows):
        if few or evidence is None:
            found = [row for row in rows if row.name == name and row.easier().answer is not Answer.NONE]
            sentences = [_tell_verdict(row, treebanks[row.treebank_label]) for row in found]
        else:
            scored = [found for found in evidence.list_scored() if found[1].row.name == name]
            sentences = [_tell_treebanks(*found, alone=len(scored) == 1) for found in scored]
        text = " ".join(map(escape_latex, sentences))
        paragraphs.append(rf"\paragraph{{{escape_latex(name)}}} {text}")
    return "\n\n".join(paragraphs) + "\n"


def _tell_verdict(row: ComparisonRow, treebank: str) -> str:
    """Return the sentences of reports on a comparison, with its treebank and parser in place of its name."""
    answer = verdict(row).removeprefix(f"{name_construction(row)}: ")
    where = " ".join(filter(None, (treebank and f"on {treebank}", row.parser and f"with {row.parser}")))
    return f"{where[0].upper()}{where[1:]}, {answer}" if where else answer[0].upper() + answer[1:]


def _tell_treebanks(title: str, construction: Construction, score: Score, *, alone: bool) -> str:
    rows = [pair.row for pair in (*construction.pairs, *construction.untested)]
    start = "" if alone else f"{title}: "
    together = verdict_together(construction, score)
    together = together[0].upper() + together[1:]
    each = f"Each treebank alone: {summarise_treebanks(rows, score)}."
    return " ".join(filter(None, [f"{start}{together}", each, describe_open(rows, score)]))


def _figures(rows: Sequence[ComparisonRow], evidence: Evidence | None) -> list[Figure]:
    """Return the figures of pages: each construction over several treebanks, else all comparisons."""
    over_treebanks = treebanks_figures(evidence) if evidence is not None else []
    return over_treebanks or difference_figures(list(zip(names_of(rows), rows, strict=True)))


def _scores_of(rows: Sequence[ComparisonRow]) -> list[Score]:
    return [score for score in Score if any(row.difference(score) is not None for row in rows)]
