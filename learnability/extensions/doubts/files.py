"""The files of `doubts`: a table, lines in the form of the official validator, and CoNLL-U."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from learnability.extending import Column, ConlluFile
from learnability.extensions.doubts.assessed_columns import describe_value
from learnability.extensions.doubts.columns import ARCS, FEATURE, HEAD, LEMMA, UPOS
from learnability.extensions.doubts.decisions import ANNOTATION
from learnability.extensions.doubts.doubt import Doubt
from learnability.extensions.doubts.linked_arc import ProposedArc
from learnability.extensions.doubts.listing import AssessedTreebank
from learnability.extensions.doubts.patterns import Pattern

DOUBTS, PATTERNS, LINES, FOLDER = "doubts.csv", "patterns.csv", "doubts.txt", "conllu"
"""The names of the files, and of the folder of the annotated CoNLL-U."""

MISC = 9
"""Where MISC is in a line of CoNLL-U."""

COLUMNS = Column.of_decisions(
    "Doubts",
    (
        "column", "text",
        "what is in doubt: `head` (and relation), `punct` (head of punctuation), `subtype`, `upos`, "
        "`lemma`, or `feats:Gender`",
    ),
    ("value", "text", "what is annotated there; empty for arcs, and without the feature"),
    ("proposed_value", "text", "what is proposed there; empty for arcs, and to remove the feature"),
    ("proposed_head", "count", "the head that is proposed"),
    ("proposed_deprel", "text", "the proposed relation; head or relation differ from the annotation"),
    (
        "also_word", "count",
        "the word whose head has to change with it, so that the sentence remains a tree; empty: none",
    ),
    ("also_head", "count", "the head proposed for that word"),
    ("also_deprel", "text", "the relation proposed for that word"),
    ("second_head", "count", "head of the second proposal; `second` in `decision` accepts it; empty: none"),
    ("second_deprel", "text", "the relation of the second proposal"),
    ("second_also_word", "count",
        "the word whose head has to change with it, so that the sentence remains a tree; empty: none"),
    ("second_also_head", "count", "the head proposed for that word"),
    ("second_also_deprel", "text", "the relation proposed for that word"),
    ("proposed_upos", "text", "empty, for you to fill in: another tag"),
    (
        "score", "number",
        "the higher, the more doubtful; it orders the rows, and is no share of errors",
    ),
    ("pattern", "text", "tag and lemma, annotated and proposed relation, and where the heads are"),
    ("validator", "text", "errors that the official validator finds at the word, too, if it is installed"),
)  # fmt: skip
"""The columns of doubts.csv, which is a file of decisions."""

PATTERN_COLUMNS = Column.of_topic(
    "Doubts by pattern",
    ("pattern", "text", "as in doubts.csv"),
    ("doubts", "count", "listed doubts of this pattern"),
    ("score", "number", "the sum of their scores, which orders the patterns"),
    ("words", "count", "words with this tag and lemma that the treebank annotates like these"),
    ("proposed_words", "count", "words with this tag and lemma that it annotates as it is proposed here"),
    (
        "sentences", "text",
        "the sentences of the first five doubts, with semicolons between them: their ids, or `FILE:LINE` "
        "where the file gives no ids",
    ),
    ("query", "text", "a query for Grew-match that finds `words`"),
)  # fmt: skip
"""The columns of patterns.csv."""

FEW = 5
"""The sentences that patterns.csv names of each pattern."""

ITEM, ITEM_HEAD, ITEM_DEPREL, ITEM_ALSO = "Doubt=", "DoubtHead=", "DoubtRel=", "DoubtAlso="
"""What MISC says of a doubt: the score, the head and relation that are proposed, and the word, head and
relation that change with them."""

ITEM_FEATS, ITEM_VALUES = "DoubtFeats=", {UPOS: "DoubtUpos=", LEMMA: "DoubtLemma="}
"""What it says of other columns: the proposed values; of features ``Gender:Masc,Number:``."""


def doubt_values(doubt: Doubt) -> dict[str, Any]:
    """Return the values of the columns of doubts.csv."""
    second, second_also, *_ = (*doubt.second_arcs, None, None)
    values = dict(vars(doubt))
    for prefix, arc in (("also", doubt.also), ("second", second), ("second_also", second_also)):
        cells = arc._asdict() if arc else dict.fromkeys(ProposedArc._fields)
        values |= {f"{prefix}_{name}": value for name, value in cells.items()}
    return {column.name: values.get(column.name, "") for column in COLUMNS}


def pattern_values(pattern: Pattern) -> dict[str, Any]:
    """Return the values of the columns of patterns.csv."""
    sentences = dict.fromkeys(doubt.name for doubt in pattern.doubts)
    return {
        "pattern": pattern.name,
        "doubts": len(pattern.doubts),
        "score": pattern.score,
        "words": pattern.words,
        "proposed_words": pattern.proposed_words,
        "sentences": "; ".join(list(sentences)[:FEW]),
        "query": pattern.query,
    }


def doubts_files(
    files: Sequence[ConlluFile],
    assessed: AssessedTreebank,
    doubts: Sequence[Doubt],
    patterns: Sequence[Pattern],
) -> dict[str, bytes]:
    """Return the files, by name.

    Args:
        files: those of the treebank, whose sentences are those that were assessed, in their order.
        assessed: the treebank.
        doubts: those that are listed, in order.
        patterns: the same by pattern.
    """
    return {
        DOUBTS: Column.csv(COLUMNS, map(doubt_values, doubts)),
        PATTERNS: Column.csv(PATTERN_COLUMNS, map(pattern_values, patterns)),
        LINES: "".join(f"{line}\n" for line in validator_lines(assessed, doubts)).encode(),
        **{f"{FOLDER}/{name}": data for name, data in annotate_files(files, doubts).items()},
    }


def validator_lines(assessed: AssessedTreebank, doubts: Sequence[Doubt]) -> Iterator[str]:
    """Yield a line in the form of the official validator for each doubt, in their order.

    It ends with the fingerprint of the sentence, by which a rejected doubt is known again.
    """
    for doubt in doubts:
        forms = assessed.words.trees[doubt.sentence].forms
        if doubt.column in ARCS:
            annotated = _arc(forms, doubt.head, doubt.deprel)
            proposed = f"{_arc(forms, doubt.proposed_head, doubt.proposed_deprel)}{_also(forms, doubt.also)}"
            for second, *also in (doubt.second_arcs,) if doubt.second_arcs else ():
                proposed += f" or {_arc(forms, second.head, second.deprel)}{_also(forms, *also)}"
        else:
            annotated = describe_value(doubt.column, doubt.value)
            proposed = describe_value(doubt.column, doubt.proposed_value)
        name = ANNOTATION if doubt.column == HEAD else doubt.column
        yield (
            f"[File {doubt.file} Line {doubt.line} Sent {doubt.sent_id} Node {doubt.word}]: "
            f"[L3 Doubt {name}] '{doubt.form}' is {annotated}, proposed: {proposed} "
            f"({doubt.score:.2f}; {doubt.pattern}) #{doubt.mark}"
        )


def _arc(forms: Sequence[str], head: int, deprel: str) -> str:
    """Return an arc in words, ``obl of 3:house``."""
    return f"{deprel} of {head}:{forms[head - 1]}" if head else f"{deprel} (head 0)"


def _also(forms: Sequence[str], also: ProposedArc | None = None) -> str:
    """Return the arc that changes with a proposal in words, ``, with 3:house as root (head 0)``."""
    if also is None:
        return ""
    word, head, deprel = also
    return f", with {word}:{forms[word - 1]} as {_arc(forms, head, deprel)}"


def annotate_files(files: Sequence[ConlluFile], doubts: Sequence[Doubt]) -> Mapping[str, bytes]:
    """Return the files of the treebank with the doubts in MISC, by name; all other bytes stay.

    Doubts of an earlier run are removed.
    """
    by_sentence: dict[int, list[Doubt]] = {}
    for doubt in doubts:
        by_sentence.setdefault(doubt.sentence, []).append(doubt)
    written, first = {}, 0
    for file in files:
        changes: dict[int, str | None] = {}
        for index, sentence in enumerate(file.sentences, start=first):
            by_word = group_by_word(by_sentence.get(index, ()))
            for word, row in enumerate(sentence.rows, start=1):
                cells = sentence.lines[row].split("\t")
                kept = [item for item in cells[MISC].split("|") if not _is_doubt(item) and item != "_"]
                misc = "|".join([*kept, *_items(by_word.get(word, ()))]) or "_"
                if misc != cells[MISC]:
                    cells[MISC] = misc
                    changes[sentence.line + row] = "\t".join(cells)
        first += len(file.sentences)
        written[file.name] = file.replace_lines(changes)
    return written


def group_by_word(doubts: Iterable[Doubt]) -> Mapping[int, Sequence[Doubt]]:
    """Return the doubts about a sentence by the number of their word."""
    found: dict[int, list[Doubt]] = {}
    for doubt in doubts:
        found.setdefault(doubt.word, []).append(doubt)
    return found


def _items(doubts: Sequence[Doubt]) -> list[str]:
    """Return what MISC says of the doubts about a word: the highest score, and each proposal."""
    if not doubts:
        return []
    items = {ITEM: f"{max(doubt.score for doubt in doubts):.2f}"}
    for doubt in doubts:
        if doubt.column in ARCS:
            items.setdefault(ITEM_HEAD, str(doubt.proposed_head))
            items.setdefault(ITEM_DEPREL, doubt.proposed_deprel)
            if doubt.also:
                items.setdefault(ITEM_ALSO, ":".join(map(str, doubt.also)))
        elif doubt.column in ITEM_VALUES:
            items[ITEM_VALUES[doubt.column]] = doubt.proposed_value.replace("|", "/")
        else:
            feature = f"{doubt.column.removeprefix(FEATURE)}:{doubt.proposed_value}"
            items[ITEM_FEATS] = ",".join(filter(None, (items.get(ITEM_FEATS), feature)))
    return [f"{name}{value}" for name, value in items.items()]


def _is_doubt(item: str) -> bool:
    return item.startswith((ITEM, ITEM_HEAD, ITEM_DEPREL, ITEM_ALSO, ITEM_FEATS, *ITEM_VALUES.values()))
