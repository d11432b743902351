"""Trees, sentences and treebanks: the values everything else computes on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, fields, replace

from learnability.errors import InputError

ROOT = 0
"""The head of the root word."""

TRANSFORMED = "# transformed = "
"""How the comment begins that names the transformations whose annotation a sentence has instead of UD's."""


@dataclass(frozen=True, slots=True, repr=False)
class Tree:
    """A dependency tree over the syntactic words (tokens) 1..n of one sentence.

    All columns are tuples of length n; entry i belongs to token i + 1. `heads` holds token numbers,
    0 for the root word; a tree that is still to be parsed has neither heads nor deprels. Multiword-token
    ranges and empty nodes are no tokens: they stay in the :class:`Sentence`.

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

    def __post_init__(self) -> None:
        n = len(self.forms)
        columns = (self.upos, self.heads, self.deprels, self.lemmas, self.xpos, self.feats)
        if any(len(column) not in (0, n) for column in columns):
            sizes = ", ".join(f"{len(getattr(self, one.name))} {one.name}" for one in fields(self))
            raise InputError(f"columns of different lengths ({sizes}); give each word one value in each")

    def __len__(self) -> int:
        """The number of tokens."""
        return len(self.forms)

    def __repr__(self) -> str:
        return f"<Tree of {_words(self)}>"

    def __str__(self) -> str:
        """One line per token: number, form, UPOS, head, deprel."""
        numbers, blank = [str(i + 1) for i in range(len(self))], ("_",) * len(self)
        heads = list(map(str, self.heads or blank))
        columns = (numbers, self.forms, self.upos or blank, heads, self.deprels or blank)
        widths = [max(map(len, column), default=0) for column in columns]
        rows = zip(*columns, strict=True)
        return "\n".join("  ".join(map(str.ljust, row, widths)).rstrip() for row in rows)

    def with_heads(self, heads: Sequence[int], deprels: Sequence[str] | None = None) -> Tree:
        """The same tokens with other heads (and other deprels where given)."""
        return replace(self, heads=tuple(heads), deprels=self.deprels if deprels is None else tuple(deprels))


def _words(tree: Tree) -> str:
    """How many tokens, and the first of them."""
    more = " ..." if len(tree) > 6 else ""
    tokens = "1 token" if len(tree) == 1 else f"{len(tree)} tokens"
    return f"{tokens}: {' '.join(tree.forms[:6])}{more}"


@dataclass(frozen=True, slots=True, repr=False)
class Sentence:
    """A tree together with the raw lines of CoNLL-U it was read from.

    `lines` are the sentence's raw lines without line terminators: comments, ranges, empty nodes and
    tokens, in the order of the file. `rows[i]` is the index in `lines` of token i + 1. `line` is the
    number (from 1) of `lines[0]` in its file.
    """

    tree: Tree
    sent_id: str = ""
    lines: tuple[str, ...] = ()
    rows: tuple[int, ...] = ()
    line: int = 0
    starts_document: bool = False

    def __len__(self) -> int:
        """The number of tokens."""
        return len(self.tree)

    def __repr__(self) -> str:
        name = f" {self.sent_id}" if self.sent_id else ""
        return f"<Sentence{name} of {_words(self.tree)}>"

    @property
    def transformed(self) -> str:
        """The transformations that a comment names (:data:`TRANSFORMED`), ``case+det``; empty: none."""
        comments = (line for line in self.lines if line.startswith(TRANSFORMED))
        return next(comments, "").removeprefix(TRANSFORMED)


AnyTrees = Tree | Sentence | Iterable[Tree | Sentence]
"""Trees, or sentences with their trees; one alone, too, or what gives them one by one."""


def trees_of(given: AnyTrees, *, parsed: bool = True) -> list[Tree]:
    """The trees of what is given; InputError where heads are missing, unless they need not be `parsed`."""
    each = [given] if isinstance(given, Tree | Sentence) else given
    trees = [one.tree if isinstance(one, Sentence) else one for one in each]
    for number, tree in enumerate(trees if parsed else (), start=1):
        if len(tree.heads) < len(tree):
            raise InputError(f"sentence {number} ({_words(tree)}) has no heads; parse it first")
    return trees


@dataclass(frozen=True, slots=True)
class Conventions:
    """What has to be known of a treebank before its labels can be read (docs/rules.md, Treebanks and splits).

    Attributes:
        version: 1 or 2, the major version of the UD guidelines; 0 where nothing tells.
        flat_name: the treebank marks names with `flat:name` (then plain `flat` is no name).
        language: the language code of the file names (`fr`), empty where unknown.
    """

    version: int = 0
    flat_name: bool = False
    language: str = ""


@dataclass(frozen=True, repr=False)
class Treebank:
    """The sentences of a treebank by split, and where they came from.

    Attributes:
        name: the folder's name (`UD_French`) or the training file's stem.
        release: the UD release (`1.3`, `2.16`), empty where unknown.
        train, dev, test: the sentences of each split; empty where the treebank has none.
        conventions: decided on all splits together.
        files: SHA-256 of every file read, by path as given.
        split_policy: how missing splits were made up, in words; empty where nothing was missing.
        warnings: what a user should know of the data, one line each.
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
        """Pairs of a split's name and its sentences, in the order train, dev, test."""
        yield from (("train", self.train), ("dev", self.dev), ("test", self.test))

    def __repr__(self) -> str:
        parts = [f"{name} {len(split):,}" for name, split in self.splits() if split]
        name = " ".join(filter(None, ("Treebank", self.name, self.release)))
        return f"<{name}: {', '.join(parts) or 'no'} sentences>"
