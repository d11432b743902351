"""Define trees, sentences and treebanks: the immutable values that everything else computes on."""

from __future__ import annotations

import hashlib
import unicodedata
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, fields, replace
from itertools import accumulate, groupby

from learnability.drawing.arcs import is_right_to_left
from learnability.drawing.style import add_style, show_svg
from learnability.drawing.trees import draw_tree
from learnability.errors import InputError
from learnability.support.nouns import count_noun

ROOT = 0
"""The head of the root word."""

FEWEST_FOLDS, MOST_FOLDS = 3, 100
"""Into how many folds a treebank is cut: at least for training, development and testing."""

TRANSFORMED = "# transformed = "
"""The beginning of the comment that names the transformations of a sentence that is no longer UD."""

UNSPECIFIED = "_"
"""What a column of CoNLL-U holds where nothing is known."""


def find_cycle(heads: Sequence[int]) -> int:
    """Return a token (from 1) that never reaches the root by `heads` (0..n), 0 if all do, in linear time."""
    safe = {0}
    for node in range(1, len(heads) + 1):
        path = set()
        while node not in safe:
            if node in path:
                return node
            path.add(node)
            node = heads[node - 1]
        safe |= path
    return 0


@dataclass(frozen=True, slots=True, repr=False)
class Tree:
    """Represent a dependency tree over the syntactic words (tokens) 1..n of one sentence.

    Multiword-token ranges and empty nodes are not tokens: they stay in the :class:`Sentence`.

    Attributes:
        forms: the words; like all columns a tuple of length n, whose entry i belongs to token i + 1.
        upos: the universal part-of-speech tags.
        heads: token numbers, 0 for the root word; empty if the tree is still to be parsed.
        deprels: the relations; empty if the tree is still to be parsed.
        lemmas: the lemmas; empty if unknown.
        xpos: the language-specific tags; empty if unknown.
        feats: the features, as in CoNLL-U; empty if unknown.
        misc: MISC, as in CoNLL-U; empty if no word has any.
        comments: the comments of the sentence and of its document, ``genre=news``, but no text.

    Raises:
        InputError: the columns differ in length.

    >>> tree = Tree(("Mice", "sleep"), ("NOUN", "VERB"), (2, 0), ("nsubj", "root"))
    >>> tree
    <Tree of 2 tokens: Mice sleep>
    >>> print(tree)
    1  Mice   NOUN  2  nsubj
    2  sleep  VERB  0  root
    """

    forms: tuple[str, ...]
    upos: tuple[str, ...]
    heads: tuple[int, ...] = ()
    deprels: tuple[str, ...] = ()
    lemmas: tuple[str, ...] = ()
    xpos: tuple[str, ...] = ()
    feats: tuple[str, ...] = ()
    # remarks on the words: trees with other remarks are the same trees
    misc: tuple[str, ...] = field(default=(), compare=False)
    comments: tuple[str, ...] = field(default=(), compare=False)

    def __post_init__(self) -> None:
        columns = (self.upos, self.heads, self.deprels, self.lemmas, self.xpos, self.feats, self.misc)
        if not {0, len(self.forms)}.issuperset(map(len, columns)):
            names = [column.name for column in fields(self) if column.name != "comments"]
            sizes = ", ".join(f"{len(getattr(self, name))} {name}" for name in names)
            raise InputError(f"the columns have different lengths ({sizes}); pass one value per word in each")

    def __len__(self) -> int:
        return len(self.forms)

    def __repr__(self) -> str:
        return f"<Tree of {_words(self)}>"

    def __str__(self) -> str:
        """Return one line per token: number, form, UPOS, head, deprel."""
        numbers, blank = [str(i + 1) for i in range(len(self))], ("_",) * len(self)
        heads = list(map(str, self.heads or blank))
        columns = (numbers, self.forms, self.upos or blank, heads, self.deprels or blank)
        widths = [max(map(len, column), default=0) for column in columns]
        rows = zip(*columns, strict=True)
        return "\n".join("  ".join(map(str.ljust, row, widths)).rstrip() for row in rows)

    def draw_svg(self) -> str:
        """Return the tree as an SVG picture, arcs above the words; write it to a file as it is."""
        return add_style(self._draw())

    def _repr_html_(self) -> str:
        return show_svg(self._draw())

    def _draw(self) -> str:
        return draw_tree(self.forms, self.upos, self.heads, self.deprels)

    @property
    def is_right_to_left(self) -> bool:
        """Return whether most letters belong to a script that is written from right to left."""
        return is_right_to_left("".join(self.forms))

    def as_seen(self, tags: str) -> Tree:
        """Return the tree as a parser sees it.

        Args:
            tags: the parser's setting of `tags`.

        Returns:
            The tree with the tags that it reads as UPOS, empty where it reads none; with ``only``, UPOS is
            in the place of the forms, and lemmas and XPOS are missing.
        """
        match tags:
            case "xpos":
                return replace(self, upos=self.xpos or self.upos)
            case "none":
                return replace(self, upos=("",) * len(self))
            case "only":
                return replace(self, forms=self.upos or ("",) * len(self), lemmas=(), xpos=())
        return self

    def find_cycle(self) -> int:
        """Return a token (from 1) that never reaches the root; 0 if every token does."""
        return find_cycle(self.heads)

    def with_heads(self, heads: Sequence[int], deprels: Sequence[str] | None = None) -> Tree:
        """Return the same tokens with other heads.

        Args:
            heads: the heads of tokens 1..n, 0 for the root word.
            deprels: their relations; None to keep those of this tree.

        Returns:
            A new tree; this one stays as it is.

        Raises:
            InputError: there is another number of heads or deprels than of tokens.
        """
        names = self.deprels if deprels is None else tuple(deprels)
        others = self.lemmas, self.xpos, self.feats, self.misc, self.comments
        return Tree(self.forms, self.upos, tuple(heads), names, *others)

    def with_value(self, word: int, column: str, value: str) -> Tree:
        """Return the same tokens with another value for one of them.

        Args:
            word: its number, from 1.
            column: `upos`, `lemma`, `xpos`, `deprel`, `subtype` (for the whole relation), `feats`, or the
                name of a feature, `feats:Gender`.
            value: the new value; an empty one removes a feature.

        Returns:
            A new tree; this one stays as it is.
        """
        name, _, feature = column.partition(":")
        field_name = _FIELDS.get(name, name)
        cells = list(getattr(self, field_name) or (UNSPECIFIED,) * len(self))
        cells[word - 1] = _with_feature(cells[word - 1], feature, value) if feature else value
        changes: dict[str, tuple[str, ...]] = {field_name: tuple(cells)}
        return replace(self, **changes)  # type: ignore[arg-type]

    def find_withheld(self) -> tuple[bool, ...]:
        """Return whether the form of each word is withheld, so that ``_`` stands in its place.

        An underscore is a word where it is tagged as a mark (PUNCT or SYM) in a sentence with other forms.
        """
        if UNSPECIFIED not in self.forms:
            return (False,) * len(self)
        marks = frozenset() if set(self.forms) == {UNSPECIFIED} else frozenset({"PUNCT", "SYM"})
        tags = self.upos or (UNSPECIFIED,) * len(self)
        return tuple(
            form == UNSPECIFIED and tag not in marks for form, tag in zip(self.forms, tags, strict=True)
        )

    def compared_forms(self) -> tuple[Hashable, ...]:
        """Return the forms in lower case, for comparisons; a form that is withheld equals no other."""
        pairs = zip(self.forms, self.find_withheld(), strict=True)
        return tuple(object() if is_withheld else form.lower() for form, is_withheld in pairs)

    def lemmas_or_forms(self) -> list[str]:
        """Return the lemma of each word; without one its form in lower case, which is empty if withheld."""
        columns = zip(self.lemmas or ("",) * len(self), self.forms, self.find_withheld(), strict=True)
        return [
            lemma if is_specified(lemma) else "" if is_withheld else form.lower()
            for lemma, form, is_withheld in columns
        ]


_FIELDS = {"lemma": "lemmas", "deprel": "deprels", "subtype": "deprels"}
"""The fields of columns that have another name."""


def _with_feature(feats: str, name: str, value: str) -> str:
    """Return the features with another value for one of them; an empty one removes it."""
    items = feats.split("|") if is_specified(feats) else []
    kept = [item for item in items if item.partition("=")[0] != name]
    if value:
        kept.append(f"{name}={value}")
    return "|".join(sorted(kept, key=lambda item: item.partition("=")[0].lower())) or UNSPECIFIED


def is_specified(value: str) -> bool:
    """Return whether a value of a column says anything, which neither ``_`` nor an empty one does."""
    return value not in ("", UNSPECIFIED)


def is_known(column: Iterable[str]) -> bool:
    """Return whether a word has a value in a column; where a treebank lacks it, all are empty or `_`."""
    return any(map(is_specified, column))


def have_upos(trees: Iterable[Tree]) -> bool:
    return any(is_known(tree.upos) for tree in trees)


def _words(tree: Tree) -> str:
    more = " ..." if len(tree) > 6 else ""
    return f"{count_noun(len(tree), 'token')}: {' '.join(tree.forms[:6])}{more}"


def without_spaces(form: str) -> str:
    """Return a word without spaces of any kind (Unicode's Zs), as the official UD scorer compares words."""
    return "".join(sign for sign in form if unicodedata.category(sign) != "Zs")


def other_word(tree: Tree, other: Tree) -> int:
    """Return the first token (from 1) that is another word in the other tree, spaces aside; 0 if there is
    none."""
    if tree.forms == other.forms:
        return 0
    for token, (form, other_form) in enumerate(zip(tree.forms, other.forms, strict=False), start=1):
        if form != other_form and without_spaces(form) != without_spaces(other_form):
            return token
    return 0


def other_words(tree: Tree, other: Tree) -> str:
    """Return how the words of the other tree differ from those of the tree, for a message; empty if equal."""
    if word := other_word(tree, other):
        return f"word {word} is {show(other.forms[word - 1])}, not {show(tree.forms[word - 1])}"
    return "" if len(tree) == len(other) else f"{count_noun(len(other), 'word')} for {len(tree)}"


def show(cell: str) -> str:
    """Return a cell for a message: quoted, shortened, control characters escaped."""
    return repr(cell if len(cell) <= 40 else cell[:37] + "...")


FurtherColumns = tuple[tuple[str, tuple[str, ...]], ...]
"""Columns by name, each with its cells."""


@dataclass(frozen=True, slots=True, repr=False)
class Sentence:
    """Represent a tree together with the raw CoNLL-U lines that it was read from.

    Attributes:
        tree: the tree.
        sent_id: the id in the comments, or else the number of the sentence in the file.
        lines: the raw lines without line terminators, in the order of the file: comments, ranges, empty nodes
            and tokens; empty for a sentence that was not read from a file.
        rows: the index in `lines` of each token, entry i for token i + 1.
        line: the number (from 1) of `lines[0]` in the file.
        starts_document: whether a document begins here.
        file: the name of the file, without its folder; empty for a sentence that was not read from a file. A
            sentence of another file may be equal.
        numbered: whether the comments have no id, so that `sent_id` is a number, which other files have, too.
        further: columns beyond those of CoNLL-U: each name, with the cells of all lines that are no comments.
        comments_before: comments between blank lines before it, which belong to no sentence; at the end of a
            file also those after it.
    """

    tree: Tree
    sent_id: str = ""
    lines: tuple[str, ...] = ()
    rows: tuple[int, ...] = ()
    line: int = 0
    starts_document: bool = False
    file: str = field(default="", compare=False)
    numbered: bool = False
    further: FurtherColumns = ()
    comments_before: tuple[str, ...] = field(default=(), compare=False)

    def __len__(self) -> int:
        return len(self.tree)

    def __repr__(self) -> str:
        name = f" {self.sent_id}" if self.sent_id else ""
        return f"<Sentence{name} of {_words(self.tree)}>"

    @staticmethod
    def distinct_names(sentences: Sequence[Sentence]) -> list[str]:
        """Return the names of sentences, each with its location if several have the same id.

        Args:
            sentences: the sentences.

        Returns:
            A name for each.
        """
        counts = Counter(sentence.name for sentence in sentences)

        def name(sentence: Sentence) -> str:
            is_shared = counts[sentence.name] > 1 and sentence.location
            return f"{sentence.name} ({sentence.location})" if is_shared else sentence.name

        return list(map(name, sentences))

    def draw_svg(self) -> str:
        """Return the tree as an SVG picture; write it to a file as it is."""
        return self.tree.draw_svg()

    def _repr_html_(self) -> str:
        return self.tree._repr_html_()

    @property
    def location(self) -> str:
        """Return the file and the line where the sentence begins, ``ga-ud-train.conllu:1819``; empty for a
        sentence that was not read from a file."""
        return f"{self.file}:{self.line}" if self.file else ""

    @property
    def known_id(self) -> str:
        """Return the id by which other files may have the sentence, too; empty if it has only a number."""
        return "" if self.numbered else self.sent_id

    @property
    def name(self) -> str:
        """Return what the sentence is called wherever people read of it: its id, else its location."""
        return self.known_id or self.location or self.sent_id

    @property
    def content(self) -> str:
        """Return sixteen hexadecimal digits that change with the words of the sentence alone.

        Files of decisions find it by these. Where words are withheld, its id counts, too: many have the same
        words.
        """
        name = self.known_id if any(self.tree.find_withheld()) else ""
        text = "\t".join((*self.tree.forms, "", name))
        return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()[:16]

    def line_of(self, token: int) -> int:
        """Return the number of the line of a token in the file; 0 where the lines are not known.

        Args:
            token: the number of the token, from 1.
        """
        return self.line + self.rows[token - 1] if self.rows else 0

    def is_at(self, location: str) -> bool:
        """Return whether a location is one of the lines of the sentence.

        Args:
            location: a file and a line, ``FILE:LINE``.
        """
        file, _, line = location.rpartition(":")
        if file != self.file or not (line.isascii() and line.isdigit()):
            return False
        return self.line <= int(line) < self.line + max(1, len(self.lines))

    @property
    def transformed(self) -> str:
        """Return the transformations that a comment names (:data:`TRANSFORMED`), ``case+det``; empty:
        none."""
        comments = (line for line in self.lines if line.startswith(TRANSFORMED))
        return next(comments, "").removeprefix(TRANSFORMED)


def number_documents(sentences: Iterable[Sentence]) -> list[int]:
    """Return the number of the document of each sentence; all have the same where none is marked."""
    return list(accumulate(int(sentence.starts_document) for sentence in sentences))


def mark_documents(sentences: Iterable[Sentence], numbers: Iterable[int]) -> tuple[Sentence, ...]:
    """Return sentences that begin a document where its number differs from that of the sentence before."""
    marked: list[Sentence] = []
    before = None
    for sentence, number in zip(sentences, numbers, strict=True):
        starts = number != before and (before is not None or sentence.starts_document)
        marked.append(
            sentence if sentence.starts_document == starts else replace(sentence, starts_document=starts)
        )
        before = number
    return tuple(marked)


def document_lengths(numbers: Sequence[int]) -> list[int]:
    """Return how many sentences each document has; empty where there is only one, or none is marked."""
    lengths = [len(list(document)) for _, document in groupby(numbers)]
    return lengths if len(lengths) > 1 else []


AnyTrees = Tree | Sentence | Iterable[Tree | Sentence]
"""Trees or sentences, as an iterable or a single one."""


def trees_of(source: AnyTrees, *, parsed: bool = True) -> list[Tree]:
    """Return a list of trees from trees or sentences, or from one; InputError if one must be `parsed` and is
    not."""
    items = [source] if isinstance(source, Tree | Sentence) else source
    trees = [item.tree if isinstance(item, Sentence) else item for item in items]
    for number, tree in enumerate(trees if parsed else (), start=1):
        if len(tree.heads) < len(tree):
            raise InputError(f"sentence {number} ({_words(tree)}) has no heads; parse it first")
    return trees


@dataclass(frozen=True, slots=True)
class Conventions:
    """Describe how a treebank uses labels, which is needed to read them.

    See docs/rules.md, Treebanks and splits.

    Attributes:
        version: 1 or 2, the major version of the UD guidelines; 0 if unknown.
        flat_name: the treebank marks names with `flat:name` (then plain `flat` is not a name).
        language: the language code of the file names (`fr`); empty if unknown.
    """

    version: int = 0
    flat_name: bool = False
    language: str = ""


@dataclass(frozen=True, repr=False)
class Treebank:
    """Hold the sentences of a treebank by split, and where they came from.

    Attributes:
        name: the name of the folder (`UD_French`), or the training file's name without its ending.
        release: the UD release (`1.3`, `2.16`); empty if unknown.
        train, dev, test: the sentences of each split; empty if the treebank has no such split.
        conventions: the conventions of all splits together.
        files: the SHA-256 digest of every file that was read, by its path.
        split_policy: how missing splits were made, in words; empty if none was missing.
        warnings: what a user should know about the data, one line each.
    """

    name: str
    release: str
    train: tuple[Sentence, ...]
    dev: tuple[Sentence, ...]
    test: tuple[Sentence, ...]
    conventions: Conventions = field(default_factory=Conventions)
    files: dict[str, str] = field(default_factory=dict)
    split_policy: str = ""
    warnings: tuple[str, ...] = ()

    def splits(self) -> Iterator[tuple[str, tuple[Sentence, ...]]]:
        """Yield the name and the sentences of each split, in the order train, dev, test.

        Yields:
            Pairs of a name and a tuple of sentences, which may be empty.
        """
        yield from (("train", self.train), ("dev", self.dev), ("test", self.test))

    def versions(self) -> tuple[Treebank, ...]:
        """Return the treebanks that parsers are trained on: this one, and any that was read with it."""
        return (self,)

    def __repr__(self) -> str:
        sizes = [f"{name} {len(split):,}" for name, split in self.splits() if split]
        name = " ".join(filter(None, ("Treebank", self.name, self.release)))
        return f"<{name}: {', '.join(sizes) or 'no'} sentences>"


def drop_lines(folds: Iterable[Treebank]) -> tuple[Treebank, ...]:
    """Return the folds without the raw lines of the files; a sentence in several folds stays one object."""
    slim: dict[int, Sentence] = {}

    def without_lines(part: tuple[Sentence, ...]) -> tuple[Sentence, ...]:
        return tuple(slim.setdefault(id(s), replace(s, lines=(), rows=(), further=())) for s in part)

    def slimmed(fold: Treebank) -> Treebank:
        train, dev, test = map(without_lines, (fold.train, fold.dev, fold.test))
        return replace(fold, train=train, dev=dev, test=test)

    return tuple(map(slimmed, folds))
