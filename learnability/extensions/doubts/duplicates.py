"""Find sentences that occur more than once and are annotated in different ways; this needs no parser."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from learnability.extending import Column, Section, Sentence, Table, Tree, count_noun
from learnability.extensions.doubts.in_lines import wrap_line

FEWEST_WORDS = 2
"""A sentence of one word says nothing of its arcs."""

_VALUES: dict[str, Callable[[Tree], Sequence[str]]] = {
    "LEMMA": lambda tree: tree.lemmas,
    "UPOS": lambda tree: tree.upos,
    "XPOS": lambda tree: tree.xpos,
    "FEATS": lambda tree: tree.feats,
    "HEAD": lambda tree: tuple(map(str, tree.heads)),
    "DEPREL": lambda tree: tree.deprels,
}
"""The columns that are compared."""


@dataclass(frozen=True)
class Duplicate:
    """Hold what sentences with the same words say differently of one word.

    Attributes:
        form: the word.
        word: its number.
        column: the column, as CoNLL-U calls it.
        values: what it says, the most frequent value first, then in the order of the treebank.
        sentences: for each value, the names of the sentences that have it.
        places: for each value, the file and the line of the word in the first of these sentences.
        words: the words of the sentence.
    """

    form: str
    word: int
    column: str
    values: tuple[str, ...]
    sentences: tuple[tuple[str, ...], ...]
    places: tuple[str, ...]
    words: tuple[str, ...]


def find_duplicates(sentences: Sequence[Sentence]) -> list[Duplicate]:
    """Return what sentences with the same words say differently, sentence by sentence and word by word.

    Sentences with withheld words are left out: nobody knows whether their words are the same.
    """
    names = Sentence.distinct_names(sentences)
    groups: defaultdict[tuple[str, ...], list[int]] = defaultdict(list)
    for number, sentence in enumerate(sentences):
        tree = sentence.tree
        if len(tree) >= FEWEST_WORDS and not any(tree.find_withheld()):
            groups[tree.forms].append(number)
    found: list[Duplicate] = []
    for group in groups.values():
        if len(group) > 1:
            found += _compare([sentences[number] for number in group], [names[number] for number in group])
    return found


def _compare(sentences: Sequence[Sentence], names: Sequence[str]) -> Iterator[Duplicate]:
    """Yield what sentences with the same words say differently."""
    forms = sentences[0].tree.forms
    rows = {column: [values_of(each.tree) for each in sentences] for column, values_of in _VALUES.items()}
    for word, form in enumerate(forms, start=1):
        for column, of_sentences in rows.items():
            if not all(of_sentences):  # one of them lacks the column
                continue
            said = [values[word - 1] for values in of_sentences]
            counts = Counter(said)  # the most frequent first; of equals the first in the treebank
            if len(counts) == 1:
                continue
            ordered = [value for value, _ in counts.most_common()]
            having = [[n for n, value in enumerate(said) if value == wanted] for wanted in ordered]
            yield Duplicate(
                form,
                word,
                column,
                tuple(ordered),
                tuple(tuple(names[n] for n in numbers) for numbers in having),
                tuple(_place_of(sentences[numbers[0]], word) for numbers in having),
                forms,
            )


def _place_of(sentence: Sentence, word: int) -> str:
    return f"{sentence.file}:{sentence.line + sentence.rows[word - 1]}" if sentence.rows else sentence.name


DUPLICATES = "duplicates.csv"
"""The name of the file."""

COLUMNS = Column.of_topic(
    "Sentences that occur twice",
    ("text", "text", "the words of the sentence"),
    ("word", "count", "the number of the word"),
    ("form", "text", "the word"),
    ("column", "text", "the column of CoNLL-U in which the sentences differ"),
    ("value", "text", "what one of them says"),
    ("sentences", "count", "how many say so"),
    ("file", "text", "the file of the first of these"),
    ("line", "count", "the line of the word there"),
    ("sent_id", "text", "its id, as in doubts.csv"),
)
"""The columns of duplicates.csv: a line for each value of a word and column."""

SHOWN, FIRST = 20, 5
"""How many differences a page lists, and a terminal."""


def duplicates_csv(duplicates: Sequence[Duplicate]) -> bytes:
    """Return duplicates.csv."""
    rows = []
    for found in duplicates:
        for value, names, place in zip(found.values, found.sentences, found.places, strict=True):
            file, _, line = place.rpartition(":")
            rows.append(
                {
                    "text": " ".join(found.words), "word": found.word, "form": found.form,
                    "column": found.column, "value": value, "sentences": len(names),
                    "file": file, "line": line, "sent_id": names[0],
                }
            )  # fmt: skip
    return Column.csv(COLUMNS, rows)


def duplicates_section(duplicates: Sequence[Duplicate]) -> Section:
    """Return what the same sentences say differently; `duplicates`: at least one."""
    sentences = len({found.words for found in duplicates})
    head = (
        f"{count_noun(sentences, 'sentence')} of the treebank {'occurs' if sentences == 1 else 'occur'} more "
        f"than once and {'is' if sentences == 1 else 'are'} annotated in different ways ({DUPLICATES}). "
        "Lemmas, tags, features and trees are compared."
    )
    table = Table(
        "The same sentence, annotated in different ways",
        ("sentence", "word", "column", "values", "file and line"),
        tuple(
            (
                " ".join(found.words),
                f"{found.word} {found.form}",
                found.column,
                _values_of(found),
                ", ".join(found.places),
            )
            for found in duplicates[:SHOWN]
        ),
        f"{DUPLICATES} has all.",
        "<<<<<",
    )

    def laid_out(width: int) -> Iterator[str]:
        """Yield the first differences as lines."""
        for found in duplicates[:FIRST]:
            line = f"{found.places[0]}: {found.form} ({found.column}) {_values_of(found)}"
            yield from wrap_line(line, width)
        yield ""

    return Section("Same sentences", (head,), (table,), laid_out=lambda width: tuple(laid_out(width)))


def _values_of(found: Duplicate) -> str:
    """Return the values with their counts, ``obj (2), compound:prt (1)``; of heads, the words."""
    values = found.values
    if found.column == "HEAD":
        values = tuple("root" if head == "0" else f"{head} {found.words[int(head) - 1]}" for head in values)
    pairs = zip(values, found.sentences, strict=True)
    return ", ".join(f"{value} ({len(names)})" for value, names in pairs)
