"""Read the files of treebanks; write doubts.csv, and lists for treebanks that are made from other sources."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from learnability.extending import (
    Column,
    ConlluFile,
    InputError,
    Sentence,
    Tree,
    TreebankFiles,
    Version,
    read_conllu,
)
from learnability.extensions.doubts.columns import (
    ARCS,
    DEPREL,
    FEATS,
    HEAD,
    LEMMA,
    UPOS,
    XPOS,
    group_of,
    values_in,
)
from learnability.extensions.doubts.decisions import Decision
from learnability.extensions.doubts.doubt import Doubt
from learnability.extensions.doubts.linked_arc import ProposedArc

DOUBTS = "doubts.csv"

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
    (
        "other_half", "text",
        "what else should change, `deprel=discourse xpos=UH feats=_`; `both` in `decision` accepts it, too; "
        "empty: nothing",
    ),
    (
        "would_break", "text",
        "the errors that the proposal would bring: by the official validator, if it is installed, in the "
        "first 300 rows, otherwise by our own checks; empty: none",
    ),
    ("proposed_upos", "text", "empty, for you to fill in: another tag"),
    (
        "score", "number",
        "the higher, the more doubtful; it orders the rows, and is no share of errors",
    ),
    ("reason", "text", "why it is doubted, in words, the strongest reason first"),
    (
        "rule", "text",
        "what changes this and all words like it, as `learnability diff --rules` writes it: "
        "`upos:PRON=SCONJ,form=that`; empty: none",
    ),
    ("pattern", "text", "tag and lemma, annotated and proposed relation, and where the heads are"),
    ("validator", "text", "errors that the official validator finds at the word, too, if it is installed"),
)  # fmt: skip


def doubt_values(doubt: Doubt) -> dict[str, Any]:
    """Return the values of the columns of doubts.csv."""
    second, second_also, *_ = (*doubt.second_arcs, None, None)
    values = dict(vars(doubt))
    for prefix, arc in (("also", doubt.also), ("second", second), ("second_also", second_also)):
        cells = arc._asdict() if arc else dict.fromkeys(ProposedArc._fields)
        values |= {f"{prefix}_{name}": value for name, value in cells.items()}
    return {column.name: values.get(column.name, "") for column in COLUMNS}


HEADINGS = ("sent_id", "word", "form", "column", "old", "new", "reason", "rule")


def tsv_lines(doubts: Iterable[Doubt]) -> Iterator[str]:
    """Yield the list of what is proposed in doubts; of an arc head and relation, `3:nsubj`."""
    yield "\t".join(HEADINGS)
    for doubt in doubts:
        old, new = doubt.value, doubt.proposed_value
        if doubt.column in ARCS:
            old = f"{doubt.head}:{doubt.deprel}"
            new = f"{doubt.proposed_head}:{doubt.proposed_deprel}"
        yield _line(doubt.sent_id, doubt.word, doubt.form, doubt.column, old, new, doubt.reason, doubt.rule)


def change_lines(pairs: Iterable[tuple[Sentence, Tree]], decisions: Sequence[Decision]) -> list[str]:
    """Return the list of what differs between sentences and their new trees; the decisions have the
    reasons."""
    reasons = _reasons_of(decisions)
    lines = ["\t".join(HEADINGS)]
    for sentence, tree in pairs:
        for column in (LEMMA, UPOS, XPOS, FEATS, HEAD, DEPREL):
            old, new = (values_in(each, column) for each in (sentence.tree, tree))
            for word, (before, after) in enumerate(zip(old, new, strict=True), start=1):
                if before != after:
                    reason, rule = reasons.get((sentence.content, word, column), ("", ""))
                    form = tree.forms[word - 1]
                    lines.append(_line(sentence.sent_id, word, form, column, before, after, reason, rule))
    return lines


def _reasons_of(decisions: Iterable[Decision]) -> dict[tuple[str, int, str], tuple[str, str]]:
    """Return why each column of a word changes, and the rules, by the content of its sentence, the word and
    the column."""
    found: dict[tuple[str, int, str], list[Decision]] = {}
    for each in decisions:
        changed = [(arc.word, column) for arc in each.arcs for column in (HEAD, DEPREL)]
        changed += [(each.place.word, group_of(value.column)) for value in each.values]
        for word, column in changed:
            found.setdefault((each.place.content, word, column), []).append(each)
    return {
        key: (_join(each.reason for each in some), _join(each.rule for each in some))
        for key, some in found.items()
    }


def _join(texts: Iterable[str]) -> str:
    return "; ".join(dict.fromkeys(filter(None, texts)))


def _line(*cells: object) -> str:
    return "\t".join(" ".join(str(cell).split()) for cell in cells)


def read_files(treebank: TreebankFiles, **reading: bool) -> list[ConlluFile]:
    """Return the files of a treebank, each once; `reading` as in `read_conllu`."""
    return [read_conllu(path, name=path.name, **reading) for path in dict.fromkeys(treebank.paths())]


def list_sentences(files: Iterable[ConlluFile]) -> list[Sentence]:
    return [sentence for file in files for sentence in file.sentences]


def read_beside(names: Sequence[str], doubted: Iterable[Path], **reading: bool) -> list[list[Sentence]]:
    """Return the sentences of each of the treebanks that are counted beside the doubted one.

    Raises:
        InputError: there is none of a name, it is the doubted one, or it cannot be read.
    """
    known = {path.resolve() for path in doubted}
    treebanks = []
    for name in names:
        treebank = Version.find_files(name)
        if not known.isdisjoint(path.resolve() for path in treebank.paths()):
            raise InputError(f"{name} is the treebank itself; name another treebank of the language")
        treebanks.append(list_sentences(read_files(treebank, **reading)))
    return treebanks
