"""Hold the words of treebanks as columns of numbers, so that contexts and values can be counted fast."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import chain, count
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from learnability.regularities.lemma_edits import AS_WRITTEN, SAME, describe_edit
from learnability.treebanks.labels import universal
from learnability.treebanks.sentence import Sentence, Tree, is_specified

Codes = NDArray[np.int32]
"""int32[words]: a number for each word; those with the same number are alike."""

FORM, LEMMA, UPOS, XPOS = "form", "lemma", "upos", "xpos"
FEATS, FEATURE = "feats", "feats:"
DEPREL, RELATION, SUBTYPE = "deprel", "relation", "subtype"
SIDE, HEAD_UPOS = "side", "head_upos"
SURFACE, SPLIT, PARTS, CHILDREN = "surface", "split", "parts", "children"
FORM_BEFORE, FORM_AFTER, DEPENDENTS = "form_before", "form_after", "dependents"
FIELDS = {LEMMA: "lemmas", UPOS: "upos", XPOS: "xpos", FEATS: "feats", DEPREL: "deprels"}
"""The fields of trees by the columns that they hold as they are."""

ENDINGS = tuple(f"ending{letters}" for letters in (1, 2, 3, 4))
"""The columns with the last letters of forms; shorter forms have no value there."""

TOKEN_ENDINGS = ("token_ending2", "token_ending3")
"""The columns with the last letters of surface tokens."""

BEFORE, AFTER, NO_HEAD = "before", "after", "root"
"""Where the head of a word is."""

NONE = ""
"""The value of a word that has none: no feature, no subtype, no children of these kinds."""

SHOWN_CHILDREN = ("case", "mark", "cop")
"""The relations of children that are part of a context."""

SENTENCES_TOGETHER = 10
"""How many neighbouring sentences count as a document where none is marked."""

Value = TypeVar("Value", bound=Hashable)


class WordColumn(NamedTuple):
    """Hold a column of all words: int32[words], the values as numbers, and their names."""

    codes: Codes
    names: tuple[str, ...]

    @classmethod
    def of(cls, values: Iterable[str], words: int) -> WordColumn:
        """Return a column of these values, numbered as they come."""
        numbers: defaultdict[str, int] = defaultdict(count().__next__)
        codes = np.fromiter(map(numbers.__getitem__, values), np.int32, words)
        return cls(codes, tuple(numbers))

    def change(self, change: Callable[[str], str]) -> WordColumn:
        """Return the column with other values, each made from one of these."""
        changed = WordColumn.of(map(change, self.names), len(self.names))
        return WordColumn(changed.codes[self.codes], changed.names)

    def number_of(self, value: str) -> int:
        """Return the number of a value; -1 if no word has it."""
        return self.names.index(value) if value in self.names else -1


class WordTable:
    """Hold all words of treebanks in columns, which are made when they are first read.

    The columns: `form` (in lower case), `lemma`, `upos`, `xpos`, `feats` (the cell), `feats:NAME` (a feature,
    empty where a word lacks it), `deprel`, `relation` (without its subtype), `subtype`, `side` (`before`,
    `after` or `root`: where the head is), `head_upos` (`root` if there is no head), `children` (which of
    :data:`SHOWN_CHILDREN` depend on the word), `ending1` to `ending4` (the last letters), `lemma_edit` (how
    the lemma follows from the form), `form_before` and `form_after` (those of the words beside it in the
    sentence), `dependents` (the universal relations of its dependents but for punctuation), `surface` (the
    surface token that begins with the word, in lower case; empty for the other words of a token), `split`
    (its words, `de+le`), `parts` (how many), `token_ending2` and `token_ending3` (its last letters).
    A value that is not known is empty or `_`.

    Attributes:
        trees: all trees, treebank by treebank.
        sentence: int32[words], the number of the tree of each word.
        position: int32[words], the number of the word in its sentence, from 1.
        treebank: int32[words], the number of its treebank.
        document: int32[words], the number of its document, among those of all treebanks. Where no documents
            are marked, sentences whose ids differ in their last number only are one, or else ten neighbours.
        features: the names of all features, sorted.
    """

    def __init__(self, treebanks: Sequence[Sequence[Sentence]]) -> None:
        self.sentences = tuple(chain.from_iterable(treebanks))
        self.trees: tuple[Tree, ...] = tuple(sentence.tree for sentence in self.sentences)
        lengths = np.fromiter(map(len, self.trees), np.int64, len(self.trees))
        self._starts = np.concatenate([[0], np.cumsum(lengths)])
        self.sentence: Codes = np.repeat(np.arange(len(lengths), dtype=np.int32), lengths)
        self.position: Codes = (np.arange(len(self.sentence)) - self._starts[self.sentence] + 1).astype(
            np.int32
        )
        numbers = np.repeat(np.arange(len(treebanks), dtype=np.int32), [len(each) for each in treebanks])
        self.treebank: Codes = numbers[self.sentence]
        self.document: Codes = _number_documents(treebanks)[self.sentence]
        self._columns: dict[str, WordColumn] = {}

    def __len__(self) -> int:
        return len(self.sentence)

    @cached_property
    def _feature_cells(self) -> list[dict[str, str]]:
        return [read_features(cell) for cell in self.column(FEATS).names]

    @cached_property
    def features(self) -> tuple[str, ...]:
        return tuple(sorted(set(chain.from_iterable(self._feature_cells))))

    def column(self, name: str) -> WordColumn:
        """Return a column by its name.

        Raises:
            KeyError: there is none.
        """
        if name not in self._columns:
            self._columns[name] = self._make(name)
        return self._columns[name]

    @staticmethod
    def make_lemma(form: str, edit: str) -> str | None:
        """Return the lemma of a form by a value of `lemma_edit`: the form, or None if it is another."""
        return {SAME: form.lower(), AS_WRITTEN: form}.get(edit)

    def value(self, name: str, word: int) -> str:
        """Return the value that a word has in a column.

        Args:
            name: of the column.
            word: the number of the word in the table.
        """
        column = self.column(name)
        return column.names[int(column.codes[word])]

    def _make(self, name: str) -> WordColumn:
        if name.startswith(FEATURE):
            feature = name.removeprefix(FEATURE)
            every = self._feature_cells
            by_cell = WordColumn.of((cell.get(feature, NONE) for cell in every), len(every))
            return WordColumn(by_cell.codes[self.column(FEATS).codes], by_cell.names)
        if name in ENDINGS:
            return self._endings(FORM, ENDINGS.index(name) + 1)
        if name in TOKEN_ENDINGS:
            return self._endings(SURFACE, TOKEN_ENDINGS.index(name) + 2)
        if name in FIELDS:
            return self._of_trees(FIELDS[name])
        match name:
            case "form":
                return self._of_trees("forms").change(str.lower)
            case "relation":
                return self.column(DEPREL).change(universal)
            case "subtype":
                return self.column(DEPREL).change(lambda deprel: deprel.partition(":")[2])
            case "side":
                heads = self.heads
                sides = np.where(heads < self.position, 0, 1)
                return WordColumn(np.where(heads == 0, 2, sides).astype(np.int32), (BEFORE, AFTER, NO_HEAD))
            case "head_upos":
                return self._of_heads(UPOS)
            case "children":
                return self._children()
            case "lemma_edit":
                return self._lemma_edits()
            case "form_before":
                return self._beside(1)
            case "form_after":
                return self._beside(-1)
            case "dependents":
                return self._dependents()
            case "surface" | "split" | "parts":
                self._columns |= zip((SURFACE, SPLIT, PARTS), self._surface_tokens(), strict=True)
                return self._columns[name]
        raise KeyError(name)

    def _endings(self, name: str, letters: int) -> WordColumn:
        return self.column(name).change(lambda form: form[-letters:] if len(form) > letters else NONE)

    def _of_trees(self, field: str) -> WordColumn:
        values = chain.from_iterable(getattr(tree, field) or ("_",) * len(tree) for tree in self.trees)
        return WordColumn.of(values, len(self))

    @cached_property
    def heads(self) -> Codes:
        """Return the head of each word in its sentence, 0 for the root word or where heads are not known."""
        every = (tree.heads or (0,) * len(tree) for tree in self.trees)
        return np.fromiter(chain.from_iterable(every), np.int32, len(self))

    def _of_heads(self, name: str) -> WordColumn:
        column = self.column(name)
        parents = self._starts[self.sentence] + self.heads - 1
        codes = np.where(self.heads == 0, len(column.names), column.codes[parents])
        return WordColumn(codes.astype(np.int32), (*column.names, NO_HEAD))

    def _children(self) -> WordColumn:
        relation, bits = self.column(RELATION), np.zeros(len(self), np.int32)
        parents = self._starts[self.sentence] + self.heads - 1
        for number, name in enumerate(SHOWN_CHILDREN):
            is_such = (relation.codes == relation.number_of(name)) & (self.heads > 0)
            has_such = np.zeros(len(self), np.int32)
            has_such[parents[is_such]] = 1
            bits += has_such << number
        names = (
            " ".join(each for number, each in enumerate(SHOWN_CHILDREN) if bit >> number & 1)
            for bit in range(1 << len(SHOWN_CHILDREN))
        )
        return WordColumn(bits, tuple(names))

    def _beside(self, step: int) -> WordColumn:
        """Return the form of the word before (1) or after (-1); none at the end of a sentence."""
        form = self.column(FORM)
        codes = np.roll(form.codes, step)
        is_outside = np.roll(self.sentence, step) != self.sentence
        if len(self):
            is_outside[0 if step > 0 else -1] = True
        return WordColumn(np.where(is_outside, len(form.names), codes).astype(np.int32), (*form.names, NONE))

    def _dependents(self) -> WordColumn:
        relation = self.column(RELATION)
        count = len(relation.names) + 1
        parents = self._starts[self.sentence] + self.heads - 1
        counts_too = (self.heads > 0) & (relation.codes != relation.number_of("punct"))
        pairs = np.unique(parents[counts_too] * count + relation.codes[counts_too])
        below: defaultdict[int, list[str]] = defaultdict(list)
        for pair in pairs.tolist():
            below[pair // count].append(relation.names[pair % count])
        return WordColumn.of((" ".join(sorted(below.get(word, ()))) for word in range(len(self))), len(self))

    def _lemma_edits(self) -> WordColumn:
        """Return how lemmas follow from forms, which is found once for each form and lemma."""
        forms, lemmas = self._of_trees("forms"), self.column(LEMMA)
        pairs, number = np.unique(
            forms.codes.astype(np.int64) * len(lemmas.names) + lemmas.codes, return_inverse=True
        )
        edits = WordColumn.of(
            (
                describe_edit(forms.names[pair // len(lemmas.names)], lemmas.names[pair % len(lemmas.names)])
                for pair in pairs.tolist()
            ),
            len(pairs),
        )
        return WordColumn(edits.codes[number.ravel()], edits.names)

    def _surface_tokens(self) -> Iterator[WordColumn]:
        tokens: list[str] = []
        words: list[str] = []
        counts: list[str] = []
        for sentence in self.sentences:
            forms = [form.lower() for form in sentence.tree.forms]
            surface, split, parts = list(forms), list(forms), ["1"] * len(forms)
            for first, last, form in _ranges_of(sentence):
                surface[first - 1 : last] = [form.lower(), *[NONE] * (last - first)]
                split[first - 1 : last] = ["+".join(forms[first - 1 : last]), *[NONE] * (last - first)]
                parts[first - 1 : last] = [str(last - first + 1), *[NONE] * (last - first)]
            tokens += surface
            words += split
            counts += parts
        return (WordColumn.of(values, len(self)) for values in (tokens, words, counts))


def read_features(cell: str) -> dict[str, str]:
    """Return the features of a cell by name.

    >>> read_features("Case=Acc,Dat|Number=Sing")
    {'Case': 'Acc,Dat', 'Number': 'Sing'}
    """
    if not is_specified(cell):
        return {}
    pairs = (pair.partition("=") for pair in cell.split("|"))
    return {name: value for name, _, value in pairs}


_RANGE = re.compile(r"([0-9]+)-([0-9]+)\t([^\t]*)\t")


def _ranges_of(sentence: Sentence) -> Iterable[tuple[int, int, str]]:
    """Yield the surface tokens of several words: the first, the last, the form."""
    if sentence.rows and sentence.rows[-1] - sentence.rows[0] + 1 == len(sentence.rows):
        before = sentence.lines[sentence.rows[0] - 1 : sentence.rows[0]]  # a range of the first word
        if not before or before[0].startswith("#"):
            return
    for line in sentence.lines:
        if match := _RANGE.match(line):
            yield int(match[1]), int(match[2]), match[3]


def _number_documents(treebanks: Sequence[Sequence[Sentence]]) -> Codes:
    numbers: list[int] = []
    for sentences in treebanks:
        first = numbers[-1] + 1 if numbers else 0
        numbers += [first + number for number in _documents_of(sentences)]
    return np.array(numbers, np.int32)


def _documents_of(sentences: Sequence[Sentence]) -> list[int]:
    """Return the number of the document of each sentence of a treebank, from 0."""
    if sum(sentence.starts_document for sentence in sentences) > 1:
        marked = np.cumsum([sentence.starts_document for sentence in sentences])
        return [int(number) for number in marked - marked[0]]
    numbers: defaultdict[str, int] = defaultdict(count().__next__)
    named = [
        numbers["" if sentence.numbered else re.sub("[0-9]+[^0-9]*$", "", sentence.sent_id)]
        for sentence in sentences
    ]
    if len(numbers) > max(SENTENCES_TOGETHER, len(sentences) // 100) and len(numbers) < len(sentences):
        return named
    return [number // SENTENCES_TOGETHER for number in range(len(sentences))]
