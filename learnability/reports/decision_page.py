"""Make a page on which somebody decides about words, or looks at them: one file, which needs no network.

Rows are proposals for words. What one decision may settle is a cause: its rows are listed and decided
together, or one by one. Decisions are saved as a file that `doubts --apply` reads.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, NamedTuple, TypeVar

from learnability.reports.rendering import render
from learnability.reports.section import Section
from learnability.support.nouns import count_noun
from learnability.treebanks.sentence import Tree

MOST_ROWS = 20_000
"""The rows on a page, at most."""

SAVED_COLUMNS = (
    *("sent_id", "file", "line", "word", "form", "upos", "head", "deprel"),
    *("column", "value", "proposed_value", "proposed_head", "proposed_deprel"),
    *("also_word", "also_head", "also_deprel", "second_head", "second_deprel"),
    *("second_also_word", "second_also_head", "second_also_deprel", "other_half", "would_break"),
    *("proposed_upos", "score", "reason", "rule", "pattern", "validator", "content"),
    *("decision", "note"),
)
"""The columns of the file of decisions that a page saves, besides `run`."""

FIELDS = (
    *("sentence", "cause", "line", "word", "lemma", "head", "deprel", "proposed_head", "proposed_deprel"),
    *("also", "second_arcs", "score", "pattern", "validator", "column", "value", "proposed_value"),
    *("other_half", "would_break", "reason", "rule", "traits", "rank", "elsewhere"),
)
"""What a page has of each row, in this order; `rank`: its place among rows with the same score."""

AROUND = 5
"""The words before and after a word, and its head, that are shown of a sentence."""

FARTHEST = 16
"""A head that is farther from its word is not drawn."""


class ShownWord(NamedTuple):
    """Show a word in a part of its sentence.

    Attributes:
        where: what the sentence is called.
        forms: the words that are shown.
        word: the place of the word among them, from 1.
        head: that of its head; 0 for the root, -1 where no arc is drawn.
        deprel: its relation; without an arc, what else is to be said of it.
        other_head, other_deprel: its arc in another annotation of the sentence.
    """

    where: str
    forms: Sequence[str]
    word: int
    head: int = -1
    deprel: str = ""
    other_head: int = -1
    other_deprel: str = ""

    @classmethod
    def of(
        cls,
        where: str,
        tree: Tree,
        word: int,
        *,
        draws_arc: bool,
        other: Tree | None = None,
        remark: str = "",
    ) -> ShownWord:
        """Return a word of a sentence.

        Args:
            where: what the sentence is called.
            tree: the sentence.
            word: the number of the word.
            draws_arc: whether the arc of the word is drawn, unless it is too long.
            other: another annotation of the sentence, whose arc is drawn, too.
            remark: what is said of a word without an arc.
        """
        trees = [tree] if other is None else [tree, other]
        heads = [each.heads[word - 1] for each in trees] if draws_arc else []
        if any(head > 0 and abs(head - word) > FARTHEST for head in heads):
            heads, remark = [], " → ".join(dict.fromkeys(each.deprels[word - 1] for each in trees))
        ends = [word, *(head for head in heads if head > 0)]
        start = max(0, min(ends) - 1 - AROUND)
        forms = tree.forms[start : max(ends) + AROUND]
        arcs = [
            (head - start if head > 0 else head, each.deprels[word - 1])
            for head, each in zip(heads, trees, strict=False)
        ]
        first, second = [*arcs, (-1, ""), (-1, "")][:2]
        return cls(where, forms, word - start, first[0], first[1] or remark, *second)


class WordExamples(NamedTuple):
    """Show words that speak for or against a proposal, or that differ in the same way.

    Attributes:
        title: what they are.
        words: some of them.
        query: finds them with Grew-match; empty: none.
    """

    title: str
    words: Sequence[ShownWord]
    query: str = ""

    @classmethod
    def of(
        cls, title: str, places: Iterable[tuple[str, Tree, int]], *, draws_arcs: bool, query: str = ""
    ) -> WordExamples:
        """Return words of sentences, with their arcs if `draws_arcs`.

        Args:
            title: what they are.
            places: what the sentence is called, the sentence, the number of the word.
            draws_arcs: whether the arc of each word is drawn.
            query: finds them with Grew-match.
        """
        words = [ShownWord.of(*place, draws_arc=draws_arcs) for place in places]
        return cls(title, words, query)


DecisionRow = tuple[Tree, Mapping[str, Any], Sequence[WordExamples]]
"""A proposal for a word: its sentence; the columns of a file of decisions and of `FIELDS` by name, as far as
they are not empty; and the same word in other places."""


@dataclass(frozen=True)
class Cause:
    """Hold what one decision may settle.

    Attributes:
        title: why the words are doubted, or in what they differ.
        rows: the proposals for them; none if nothing can be proposed.
        notes: what else is to be said of all of them.
        evidence: words that show it.
    """

    title: str
    rows: Sequence[DecisionRow]
    notes: Sequence[str] = ()
    evidence: Sequence[WordExamples] = ()


@dataclass
class DecisionPage:
    """Hold what a page shows.

    Attributes:
        title: its heading.
        key: tells its decisions from those of other pages in the same browser.
        command: applies the file of decisions.
        relations, tags: those of the treebank, which are offered for editing.
        learning: how decisions change the order (see `decisions.js`); empty if they do not.
        about: what a reader should know.
        sides: what the annotations above and below the words are called.
        sections: what else the page has, folded, by their anchors.
        causes: in order; without any rows, the page is for looking only.
        words: the file beside the page that has all rows; a cause for whose rows the page has no room is
            decided by its pattern, which names them there.
    """

    title: str
    key: str
    command: str = ""
    relations: Sequence[str] = ()
    tags: Sequence[str] = ()
    learning: Mapping[str, Any] = field(default_factory=dict)
    about: Sequence[str] = ()
    sides: tuple[str, str] = ("annotation", "proposal")
    sections: Sequence[Section] = ()
    causes: list[Cause] = field(default_factory=list)
    words: str = ""

    def add_cause(
        self,
        title: str,
        rows: Sequence[DecisionRow],
        notes: Sequence[str] = (),
        evidence: Sequence[WordExamples] = (),
    ) -> None:
        """Add what one decision may settle, with what `Cause` says of it."""
        self.causes.append(Cause(title, rows, notes, evidence))

    def render(self) -> bytes:
        return render(
            "decisions.html.jinja",
            style="decisions.css",
            script="decisions.js",
            title=self.title,
            command=self.command,
            about=self.about,
            decides=bool(self.command),
            sections=self.sections,
            data=_embed(self._values()),
        )

    def _values(self) -> dict[str, Any]:
        sentences, evidence = _Numbered[DecisionRow](), _Numbered[WordExamples]()
        rows: list[list[Any]] = []
        causes: list[dict[str, Any]] = []
        for cause in self.causes:
            shown = cause.rows[: MOST_ROWS - len(rows)]
            for row in shown:
                tree, values, elsewhere = row
                mark = id(tree), values.get("file"), values.get("sent_id")
                numbers = {
                    "sentence": sentences.number(mark, row),
                    "cause": len(causes),
                    "lemma": tree.lemmas_or_forms()[values["word"] - 1],
                    "elsewhere": [evidence.number(id(each), each) for each in elsewhere],
                }
                rows.append([numbers.get(name, values.get(name, "")) for name in FIELDS])
            causes.append(
                {
                    "title": cause.title,
                    "notes": [*self._tell_cut(len(shown), len(cause.rows)), *cause.notes],
                    "words": len(shown),
                    **self._name_rest(cause, len(shown)),
                    "evidence": [evidence.number(id(each), each) for each in cause.evidence],
                }
            )
        return {
            "store": f"learnability decisions {hashlib.sha256(self.key.encode()).hexdigest()[:16]}",
            "columns": SAVED_COLUMNS,
            "fields": FIELDS,
            "relations": self.relations,
            "tags": self.tags,
            "sentences": list(map(_describe_sentence, sentences.items)),
            "evidence": list(map(_describe_evidence, evidence.items)),
            "causes": causes,
            "rows": rows,
            "learning": self.learning,
            "sides": self.sides,
            "file": self.words,
        }

    def _tell_cut(self, shown: int, rows: int) -> Iterator[str]:
        if shown < rows:
            some = f"the first {shown:,}" if shown else "none"
            has = f"{self.words} has" if self.words else "The CSV file beside the page has"
            yield f"The page has room for {some} of its {count_noun(rows, 'word')}. {has} all of them."

    def _name_rest(self, cause: Cause, shown: int) -> dict[str, Any]:
        rest = len(cause.rows) - shown
        return {"rest": rest, "pattern": cause.rows[0][1]["pattern"]} if rest and self.words else {}


Item = TypeVar("Item")


class _Numbered(Generic[Item]):
    """Number items in the order in which they occur, those with the same mark alike."""

    def __init__(self) -> None:
        self.items: list[Item] = []
        self._numbers: dict[Hashable, int] = {}

    def number(self, mark: Hashable, item: Item) -> int:
        if mark not in self._numbers:
            self._numbers[mark] = len(self.items)
            self.items.append(item)
        return self._numbers[mark]


def _describe_sentence(row: DecisionRow) -> dict[str, Any]:
    tree, values, _ = row
    return {
        **{name: values.get(name, "") for name in ("sent_id", "file", "content")},
        "forms": tree.forms,
        "tags": tree.upos or ("",) * len(tree),
        "heads": tree.heads,
        "deprels": tree.deprels,
    }


def _describe_evidence(evidence: WordExamples) -> dict[str, Any]:
    return {**evidence._asdict(), "words": [word._asdict() for word in evidence.words]}


def _embed(values: Any) -> str:
    """Return values as JSON that nothing in it can end: what opens a tag is written as a number."""
    text = json.dumps(values, ensure_ascii=False, separators=(",", ":"))
    for sign in "<>&\u2028\u2029":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return text
