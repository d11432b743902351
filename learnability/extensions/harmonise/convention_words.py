"""Write conventions as a table, and the words that they concern as a file of decisions.

Its columns are those of doubts.csv, so that `learnability doubts --apply` writes what is accepted: word by
word, or with `--fix` a whole line.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import Any, NamedTuple

import numpy as np

from learnability.extending import Column, Context, Sentence, SentenceChecker, Tree, WordTable, as_name
from learnability.extensions.harmonise.convention_lines import (
    depends_on_sentence,
    describe_contexts,
    queries_of,
    value_to_propose,
)
from learnability.extensions.harmonise.conventions import THERE, Convention, InventoryDifference
from learnability.extensions.harmonise.sentence_values import Origin, SentenceReader, SentenceValues

CONVENTIONS = "conventions.csv"
"""The name of the file with all lines."""

CONVENTION_COLUMNS = Column.of_topic(
    "Conventions by counting",
    ("treebank", "text", "the treebank that differs from the others"),
    ("number", "count", "the number of the line, as `--line` takes it; none of a label that one side lacks"),
    ("columns", "text", "what differs; several features that go together are one line"),
    ("contexts", "text", "where it holds"),
    ("kind", "text", "`own`: the others hardly ever have the value; `missing`: the treebank hardly ever has"),
    ("value", "text", "the value; of features that differ in being there, `there` or `not there`"),
    ("instead", "text", "what the other side mostly has"),
    ("words", "count", "words of the treebank that it concerns"),
    ("value_words", "count", "words of the treebank there with the value"),
    ("of", "count", "words of the treebank there; of XPOS and values of features: those that have one"),
    ("others_value_words", "count", "words of the others there with the value"),
    ("others_of", "count", "words of the others there, as in `of`"),
    ("sureness", "number", "how sure it is: a decimal logarithm, after a correction for all that was tested"),
    ("measure", "text", "what it costs: points of `LAS`, or of `UPOS`; empty if parsers do not see it"),
    ("points", "number", "percent of words for which parsers of the others find what these have"),
    ("points_low", "number", "of the 95 % interval"),
    ("points_high", "number", "of the 95 % interval"),
    ("would_break", "count", "of the proposals for its words, those that would bring an error"),
    ("pattern", "text", "the line, as `doubts --fix` takes it"),
    ("query", "text", "for Grew-match: finds words of the first context"),
)  # fmt: skip
"""The columns of conventions.csv."""

WORD_COLUMNS = Column.of_decisions(
    "Words of conventions",
    ("column", "text", "what is decided about, as in doubts.csv"),
    ("value", "text", "what the word has there; empty: nothing"),
    ("proposed_value", "text", "what the others have there; empty: nothing"),
    ("proposed_head", "count", "its head, which stays, in rows of column head; else empty"),
    ("proposed_deprel", "text", "the relation that the others have there"),
    ("score", "number", "the share of words of the others that have it; or of values found"),
    ("origin", "text", "`context`, or `classifier`: by the sentence"),
    ("would_break", "text", "the errors that the proposal would bring, as in doubts.csv; empty: none"),
    ("pattern", "text", "the line, as in conventions.csv"),
)
"""The columns of the words of a treebank."""

LearnedValues = Mapping[str, SentenceValues]
"""By column what words should have where this depends on their sentences."""


@dataclass(frozen=True)
class NumberedLine:
    """Hold a convention as files have it: its words, as numbers in the table, with their rows."""

    number: int
    line: Convention
    rows: Sequence[tuple[int, Mapping[str, Any]]]

    @property
    def broken(self) -> list[str]:
        return [row["would_break"] for _, row in self.rows if row["would_break"]]


def contents_of_lines(
    table: WordTable,
    names: Sequence[str],
    found: Sequence[tuple[int, Sequence[NumberedLine]]],
    labels: Mapping[int, Sequence[InventoryDifference]],
) -> dict[str, bytes]:
    """Return the files by name: all lines, and for each treebank its words with what the others have."""
    rows: list[Mapping[str, object]] = []
    for treebank, lines in found:
        rows += _label_rows(table, names, treebank, labels[treebank])
        rows += _line_rows(lines, names, treebank)
    contents = {CONVENTIONS: Column.csv(CONVENTION_COLUMNS, rows)}
    for treebank, lines in found:
        words = [row for each in lines for _, row in each.rows]
        contents[words_name(names[treebank])] = Column.csv(WORD_COLUMNS, words)
    return contents


def file_name(name: str) -> str:
    return as_name(name.replace(" ", "-"))


def words_name(name: str) -> str:
    return f"{file_name(name)}-words.csv"


def describe_word(sentence: Sentence, word: int) -> dict[str, object]:
    """Return which word a row is about, and what is annotated; nothing is decided."""
    tree = sentence.tree
    return {
        "sent_id": sentence.sent_id,
        "file": sentence.file,
        "line": sentence.line_of(word),
        "word": word,
        "form": tree.forms[word - 1],
        "upos": tree.upos[word - 1],
        "head": tree.heads[word - 1],
        "deprel": tree.deprels[word - 1],
        "content": sentence.content,
        "decision": "",
        "note": "",
    }


def pattern_of(number: int, line: Convention) -> str:
    """Return the name of a line in files of decisions: ``3 upos: words with the lemma ille``."""
    return f"{number} {','.join(line.columns)}: {describe_contexts(line.contexts)}"


def _label_rows(
    table: WordTable, names: Sequence[str], treebank: int, labels: Sequence[InventoryDifference]
) -> Iterator[Mapping[str, object]]:
    sizes = np.bincount(table.treebank, minlength=len(names)).tolist()
    for label in labels:
        context = Context() if label.column == "feats" else Context().with_value(label.column, label.value)
        yield {
            **_shared_cells(label, label.counts, sizes, names, treebank),
            "columns": label.column,
            "contexts": "all words",
            "kind": "own" if label.is_own else "missing",
            "query": context.query() if context else "",
        }


def _line_rows(
    lines: Sequence[NumberedLine], names: Sequence[str], treebank: int
) -> Iterator[Mapping[str, object]]:
    for each in lines:
        number, line = each.number, each.line
        found, sizes = zip(*line.counts, strict=True)
        yield {
            **_shared_cells(line, found, sizes, names, treebank),
            "number": number,
            "columns": ",".join(line.columns),
            "contexts": describe_contexts(line.contexts),
            "kind": line.kind,
            "instead": line.instead,
            "would_break": len(each.broken),
            "pattern": pattern_of(number, line),
            "query": queries_of(line)[0],
        }


def _shared_cells(
    line: Convention | InventoryDifference,
    found: Sequence[int],
    sizes: Sequence[int],
    names: Sequence[str],
    treebank: int,
) -> dict[str, object]:
    cost = line.cost
    return {
        **dict.fromkeys(column.name for column in CONVENTION_COLUMNS),
        "treebank": names[treebank],
        "value": line.value,
        "words": len(line.places),
        "value_words": found[treebank],
        "of": sizes[treebank],
        "others_value_words": sum(found) - found[treebank],
        "others_of": sum(sizes) - sizes[treebank],
        "sureness": line.sureness,
        **({"measure": cost.measure, "points": cost.points} if cost else {}),
        **({"points_low": cost.low, "points_high": cost.high} if cost else {}),
    }


def learn_values(reader: SentenceReader, lines: Sequence[Convention], treebank: int) -> LearnedValues:
    """Return what words of lines should have where this depends on their sentences."""
    places: dict[str, list[int]] = {}
    if reader.can_read:
        for line in lines:
            if depends_on_sentence(line, treebank):
                for name in line.columns:
                    places.setdefault(name, []).extend(line.places.tolist())
    return {
        name: reader.propose(name, treebank, np.unique(np.array(words, np.int64)))
        for name, words in sorted(places.items())  # features one after the other, which share what is read
    }


def word_rows(
    table: WordTable, number: int, line: Convention, treebank: int, learned: LearnedValues
) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Yield the words with their rows, if contexts or sentences say what they should have."""
    pattern = pattern_of(number, line)
    for each in _propose(table, line, treebank, learned):
        if each is not None:
            sentence = table.sentences[int(table.sentence[each.word])]
            row = describe_word(sentence, int(table.position[each.word]))
            yield (
                each.word,
                {**row, **each._asdict(), "word": row["word"], "pattern": pattern},
            )


def may_have_proposal(table: WordTable, line: Convention, treebank: int) -> bool:
    """Return whether a word of a line has a proposal, or may get one that depends on its sentence."""
    return depends_on_sentence(line, treebank) or any(word_rows(table, 0, line, treebank, {}))


class ProposedCells(NamedTuple):
    """Hold what is proposed for a word: its number in the table, and cells of `WORD_COLUMNS`."""

    word: int
    column: str
    score: float
    origin: Origin
    value: str = ""
    proposed_value: str = ""
    proposed_head: int | str = ""
    proposed_deprel: str = ""


def mark_breaking(
    table: WordTable, lines: Sequence[NumberedLine], checker: SentenceChecker
) -> list[NumberedLine]:
    """Return lines with the errors that each of their proposals alone would bring."""
    by_turns = zip_longest(*([(line, *each) for each in line.rows] for line in lines))
    proposals = [each for turn in by_turns for each in turn if each is not None]
    sentences = [table.sentences[int(table.sentence[word])] for _, word, _ in proposals]
    after = [_change(sentence.tree, row) for sentence, (*_, row) in zip(sentences, proposals, strict=True)]
    rows: dict[int, list[tuple[int, Mapping[str, Any]]]] = {line.number: [] for line in lines}
    broken = checker.find_broken(sentences, after)
    for (line, word, row), errors in zip(proposals, broken, strict=True):
        rows[line.number].append((word, {**row, "would_break": errors}))
    return [replace(line, rows=rows[line.number]) for line in lines]


def _change(tree: Tree, row: Mapping[str, Any]) -> Tree:
    word = row["word"]
    if row["column"] != "head":
        return tree.with_value(word, row["column"], row["proposed_value"])
    heads, deprels = list(tree.heads), list(tree.deprels)
    heads[word - 1], deprels[word - 1] = row["proposed_head"], row["proposed_deprel"]
    return tree.with_heads(heads, deprels)


def _propose(
    table: WordTable, line: Convention, treebank: int, learned: LearnedValues
) -> Iterator[ProposedCells | None]:
    if depends_on_sentence(line, treebank):
        for name in filter(learned.__contains__, line.columns):
            found = learned[name]
            for word in line.places.tolist():
                proposed, value = found.values[word], table.value(name, word)
                if proposed and proposed != value:
                    yield ProposedCells(word, name, found.share, "classifier", value, proposed)
        return
    proposal = value_to_propose(line, treebank)
    if proposal is None:
        return
    others = [place for place in range(len(line.counts)) if place != treebank]
    counted = line.instead_counts if line.kind == "own" else [found for found, _ in line.counts]
    share = sum(counted[place] for place in others) / sum(line.counts[place][1] for place in others)
    for name in line.columns:
        for word in line.places.tolist():
            yield _with_proposal(table, line, ProposedCells(word, name, share, "context"), proposal)


def _with_proposal(
    table: WordTable, line: Convention, row: ProposedCells, proposal: str
) -> ProposedCells | None:
    """Return a row with what the others have; None where a decision cannot say what to do."""
    tree = table.trees[int(table.sentence[row.word])]
    place, name = int(table.position[row.word]), row.column
    if not tree.heads:
        return None
    head, universal = tree.heads[place - 1], tree.deprels[place - 1].partition(":")[0]
    match name:
        case "relation" if head and proposal != "root":
            return row._replace(column="head", proposed_head=head, proposed_deprel=proposal)
        case "subtype":
            changed = f"{universal}:{proposal}" if proposal else universal
            return row._replace(column="head", proposed_head=head, proposed_deprel=changed)
        case "lemma":
            lemma = table.make_lemma(tree.forms[place - 1], proposal)
            return None if lemma is None else row._replace(value=tree.lemmas[place - 1], proposed_value=lemma)
        case _ if name.startswith("feats:") and line.is_presence:
            return None if proposal == THERE else row._replace(value=table.value(name, row.word))
        case _ if name == "upos" or name.startswith("feats:"):
            return row._replace(value=table.value(name, row.word), proposed_value=proposal)
    return None
