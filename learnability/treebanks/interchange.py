"""Convert sentences to conllu, networkx, NLTK and pandas, and back.

A library is imported when one of its functions is called. Every sentence passes through CoNLL-U in both
directions, so :func:`read_conllu` checks what comes back. docs/howto/libraries.md lists what each
class carries.
"""

from __future__ import annotations

import functools
import io
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, cast, overload

from learnability.errors import InputError
from learnability.support.nouns import count_noun
from learnability.treebanks.columns import COLUMNS, DEPREL, HEAD, ID
from learnability.treebanks.conllu_io import read_conllu
from learnability.treebanks.conllu_writing import conllu_text
from learnability.treebanks.labels import detect_conventions
from learnability.treebanks.locate import SPLITS
from learnability.treebanks.sentence import ROOT, Sentence, Tree, Treebank, trees_of

if TYPE_CHECKING:
    import conllu
    import networkx
    import pandas
    from nltk.parse import DependencyGraph

T = TypeVar("T")

Text = Tree | Sentence

FIELDS = tuple(name.lower() for name in COLUMNS)
"""The names of the ten columns of CoNLL-U, in lower case."""

WORD_FIELDS = ("form", "lemma", "upos", "xpos", "feats", "misc")
"""What frames and networkx graphs have of a word besides its head and deprel."""

NLTK_FIELDS = {
    "word": "form",
    "lemma": "lemma",
    "ctag": "upos",
    "tag": "xpos",
    "feats": "feats",
    "rel": "deprel",
}
"""The text that an NLTK graph has of a word, and the name of that column."""

FRAME_COLUMNS = ("sentence", "sent_id", "token", *WORD_FIELDS, "head", "deprel")
"""The columns of :func:`to_frame`. In the frame of a treebank, `split` comes before them."""

NEEDED = ("sentence", "form", "upos", "head", "deprel")
"""The columns that :func:`from_frame` must find."""


class _OfMany(Protocol[T]):
    """The type of a function that takes one sentence, or several."""

    @overload
    def __call__(self, source: Text) -> T: ...
    @overload
    def __call__(self, source: Iterable[Text]) -> list[T]: ...


def _of_many(convert: Callable[[Text], T]) -> _OfMany[T]:
    @functools.wraps(convert)
    def convert_many(source: Any) -> Any:
        is_single = isinstance(source, Tree | Sentence)
        texts = [source] if is_single else list(source)
        trees_of(texts)
        converted = list(map(convert, texts))
        return converted[0] if is_single else converted

    return convert_many


@_of_many
def to_conllu(source: Text) -> conllu.TokenList:
    """Return sentences as token lists of the library conllu.

    Every line is kept, but of several comments with the same key only the last. A cell that the library
    could not give back, such as a MISC with a key that occurs twice, stays text.

    Args:
        source: one sentence or tree, or several.

    Returns:
        A `conllu.TokenList` for one sentence, a list for several.

    Raises:
        InputError: a tree has no heads.
    """
    from conllu import TokenList
    from conllu.models import Metadata, Token
    from conllu.parser import DEFAULT_FIELD_PARSERS
    from conllu.serializer import serialize_field

    # The library's parser of lines is left out. It also splits at two spaces, which a word may have in it.
    metadata = Metadata()
    tokens = []
    for line in conllu_text([source]).rstrip("\n").split("\n"):
        if line.startswith("#"):
            key, sign, content = line[1:].partition("=")
            metadata[key.strip()] = content.strip() if sign else None
            continue
        cells = line.split("\t")
        token = Token()
        for column, field in enumerate(FIELDS):
            parse = DEFAULT_FIELD_PARSERS.get(field)
            value = parse(cells, column) if parse else cells[column]
            token[field] = value if serialize_field(value) == cells[column] else cells[column]
        tokens.append(token)
    return TokenList(tokens, metadata, default_fields=FIELDS)


def from_conllu(source: Any, *, multiple_roots: bool = False) -> Any:
    """Return the sentences of token lists of the library conllu.

    Args:
        source: a `conllu.TokenList`, or several.
        multiple_roots: accept several words with head 0 in one sentence.

    Returns:
        A :class:`Sentence` for one token list, a list for several.

    Raises:
        InputError: the tokens do not form a sentence of CoNLL-U, or their heads do not form a tree.
    """
    from conllu import TokenList
    from conllu.serializer import serialize_field

    def lines(tokens: conllu.TokenList, _: str) -> list[str]:
        comments = [
            f"# {key}" if value is None else f"# {key} = {value}" for key, value in tokens.metadata.items()
        ]
        rows = []
        for token in tokens:
            values = (token.get(field) for field in FIELDS)
            # The library cannot write an empty list.
            rows.append("\t".join(serialize_field(None if value == [] else value) for value in values))
        return [*comments, *rows]

    return _read(source, TokenList, lines, "token list", multiple_roots)


@_of_many
def to_networkx(source: Text) -> networkx.DiGraph[int]:
    """Return trees as directed graphs of networkx.

    Node 0 is the root. Nodes 1 to n are the words, with `form`, `lemma`, `upos`, `xpos`, `feats` and `misc`.
    An edge goes from a head to its dependent and has the attribute `deprel`. The graph has `sent_id`. It
    has no multiword tokens, empty nodes, DEPS and other comments.

    Args:
        source: one sentence or tree, or several.

    Returns:
        A `networkx.DiGraph` for one sentence, a list for several.

    Raises:
        InputError: a tree has no heads.

    >>> graph = to_networkx(Tree(("Mice", "sleep"), ("NOUN", "VERB"), (2, 0), ("nsubj", "root")))
    >>> list(graph.edges(data="deprel"))
    [(0, 2, 'root'), (2, 1, 'nsubj')]
    """
    import networkx

    sent_id, rows = _words(source)
    graph: networkx.DiGraph[int] = networkx.DiGraph()
    if sent_id:
        graph.graph["sent_id"] = sent_id
    graph.add_node(ROOT)
    for row in rows:
        attributes = {name: row[FIELDS.index(name)] for name in WORD_FIELDS}
        graph.add_node(int(row[ID]), **attributes)
    for row in rows:
        graph.add_edge(int(row[HEAD]), int(row[ID]), deprel=row[DEPREL])
    return graph


def from_networkx(source: Any, *, multiple_roots: bool = False) -> Any:
    """Return the sentences of directed graphs like those of :func:`to_networkx`.

    Nodes need `form`; `upos` and the other attributes may be missing. Edges need `deprel`.

    Args:
        source: a `networkx.DiGraph`, or several.
        multiple_roots: accept several words below node 0.

    Returns:
        A :class:`Sentence` for one graph, a list for several.

    Raises:
        InputError: the nodes are not 0 to n, an attribute is missing, or the edges do not form a tree.
    """
    import networkx

    def lines(graph: networkx.DiGraph[int], name: str) -> list[str]:
        count = graph.number_of_nodes() - 1
        if any(node not in graph for node in range(count + 1)):
            raise InputError(
                f"the nodes of {name} are not 0 to {count}; number the root 0 and the words 1 to n"
            )
        rows = []
        for node in range(1, count + 1):
            edges: list[tuple[int, int, Any]] = list(graph.in_edges(node, data="deprel"))
            if len(edges) != 1:
                raise InputError(
                    f"{name}: word {node} has {count_noun(len(edges), 'head')}; add one edge from its head"
                )
            head, _, deprel = edges[0]
            values = {field: graph.nodes[node].get(field) for field in WORD_FIELDS}
            rows.append(_row(name, node, {**values, "head": head, "deprel": deprel}))
        return _word_lines(graph.graph.get("sent_id"), rows)

    return _read(source, networkx.DiGraph, lines, "graph", multiple_roots)


@_of_many
def to_nltk(source: Text) -> DependencyGraph:
    """Return trees as dependency graphs of NLTK.

    UPOS is called `ctag` there, XPOS `tag` and DEPREL `rel`. The graph has no comments (so no id of the
    sentence), no MISC, DEPS, multiword tokens and empty nodes.

    Args:
        source: one sentence or tree, or several.

    Returns:
        An `nltk.parse.DependencyGraph` for one sentence, a list for several.

    Raises:
        InputError: a tree has no heads.

    >>> print(to_nltk(Tree(("Mice", "sleep"), ("NOUN", "VERB"), (2, 0), ("nsubj", "root"))).tree())
    (sleep Mice)
    """
    from nltk.parse import DependencyGraph

    graph = DependencyGraph()
    for row in _words(source)[1]:
        address, head = int(row[ID]), int(row[HEAD])
        cells = {key: row[FIELDS.index(field)] for key, field in NLTK_FIELDS.items()}
        graph.nodes[address].update(cells, address=address, head=head)
        graph.nodes[head]["deps"][row[DEPREL]].append(address)
        if head == ROOT and graph.root is None:
            graph.root, graph.top_relation_label = graph.nodes[address], row[DEPREL]
    return graph


def from_nltk(source: Any, *, multiple_roots: bool = False) -> Any:
    """Return the sentences of dependency graphs of NLTK.

    The head and the relation of each word count; the lists of dependents in the graph are not read.

    Args:
        source: an `nltk.parse.DependencyGraph`, or several.
        multiple_roots: accept several words with head 0 in one graph.

    Returns:
        A :class:`Sentence` for one graph, a list for several.

    Raises:
        InputError: a word has no form, head or relation, or the heads do not form a tree.
    """
    from nltk.parse import DependencyGraph

    def lines(graph: DependencyGraph, name: str) -> list[str]:
        rows = []
        for address in sorted(address for address in graph.nodes if address != ROOT):
            node = graph.nodes[address]
            # NLTK writes an empty string where its input has no value.
            values = {field: None if node[key] == "" else node[key] for key, field in NLTK_FIELDS.items()}
            rows.append(_row(name, address, {**values, "head": node["head"]}))
        return _word_lines(None, rows)

    return _read(source, DependencyGraph, lines, "graph", multiple_roots)


def to_frame(source: Text | Iterable[Text] | Treebank) -> pandas.DataFrame:
    """Return the words of sentences as a pandas frame with one row per word.

    Columns: `sentence` (its number in the source, from 1), `sent_id`, `token` (from 1), `form`, `lemma`,
    `upos`, `xpos`, `feats`, `misc`, `head` (0 for the root word) and `deprel`. The frame of a treebank
    begins with `split`, and there `sentence` is the number in the split. A frame has no multiword tokens,
    empty nodes, DEPS and other comments.

    Args:
        source: one sentence or tree, several of them, or a treebank.

    Raises:
        InputError: a tree has no heads.

    >>> frame = to_frame(Tree(("Mice", "sleep"), ("NOUN", "VERB"), (2, 0), ("nsubj", "root")))
    >>> frame[["token", "form", "head", "deprel"]].to_dict("records")[0]
    {'token': 1, 'form': 'Mice', 'head': 2, 'deprel': 'nsubj'}
    """
    import pandas

    splits: Iterable[tuple[str, Iterable[Text]]]
    if isinstance(source, Treebank):
        splits = source.splits()
    else:
        splits = [("", [source] if isinstance(source, Tree | Sentence) else source)]
    lines: list[tuple[str | int, ...]] = []
    for split, texts in splits:
        for number, (sent_id, rows) in enumerate(_of_many(_words)(texts), start=1):
            for row in rows:
                cells = (row[FIELDS.index(field)] for field in WORD_FIELDS)
                lines.append((split, number, sent_id, int(row[ID]), *cells, int(row[HEAD]), row[DEPREL]))
    frame = pandas.DataFrame(lines, columns=["split", *FRAME_COLUMNS])
    return frame if isinstance(source, Treebank) else frame.drop(columns="split")


def from_frame(frame: pandas.DataFrame, *, multiple_roots: bool = False) -> list[Sentence]:
    """Return the sentences of a frame with the columns of :func:`to_frame`, in its order.

    Rows belong together where `sentence` (and `split`, if there is one) is the same. Within a sentence
    the rows are in the order of the words. `sent_id`, `lemma`, `xpos`, `feats` and `misc` may be missing.

    Args:
        frame: one row per word.
        multiple_roots: accept several words with head 0 in one sentence.

    Raises:
        InputError: a column or a cell is missing, or the heads of a sentence do not form a tree.

    >>> tree = Tree(("Mice", "sleep"), ("NOUN", "VERB"), (2, 0), ("nsubj", "root"))
    >>> print(from_frame(to_frame([tree]))[0].tree)
    1  Mice   NOUN  2  nsubj
    2  sleep  VERB  0  root
    """
    missing = [name for name in NEEDED if name not in frame.columns]
    if missing:
        raise InputError(f"the frame has no column {', '.join(missing)}; use {', '.join(NEEDED)}")
    keys = [name for name in ("split", "sentence") if name in frame.columns]
    fields = [field for field in (*WORD_FIELDS, "head", "deprel") if field in frame.columns]
    for field in fields:
        if frame[field].isna().any():
            # pandas reads the words NA and null in a CSV file as missing values.
            sentence = frame["sentence"][frame[field].isna()].iloc[0]
            advice = "fill it; read files with keep_default_na=False"
            raise InputError(f"a cell of the column {field} is empty in sentence {sentence}; {advice}")
    rows_of: dict[int, list[dict[Hashable, Any]]] = {}
    columns = [*fields, "sent_id"] if "sent_id" in frame.columns else fields
    numbers = frame.groupby(keys, sort=False, dropna=False).ngroup()
    for number, row in zip(numbers, frame[columns].to_dict("records"), strict=True):
        rows_of.setdefault(number, []).append(row)

    def lines(rows: list[dict[Hashable, Any]], name: str) -> list[str]:
        cells = [_row(name, word, values) for word, values in enumerate(rows, start=1)]
        return _word_lines(rows[0].get("sent_id"), cells)

    return cast(list[Sentence], _read(rows_of.values(), list, lines, "sentence", multiple_roots))


def build_treebank(name: str, splits: Mapping[str, Iterable[Sentence]], *, release: str = "") -> Treebank:
    """Return a treebank of sentences that did not come from the files of a treebank.

    Args:
        name: the treebank's name, `UD_Irish`.
        splits: the sentences of `train`, `dev` and `test`; a split may be missing.
        release: the UD release, `1.3`; empty if unknown.

    Returns:
        A :class:`Treebank` whose conventions follow from its release and its labels.

    Raises:
        InputError: `splits` has another key.

    >>> tree = Tree(("Mice", "sleep"), ("NOUN", "VERB"), (2, 0), ("nsubj", "root"))
    >>> build_treebank("UD_Mice", {"train": from_networkx(to_networkx([tree]))})
    <Treebank UD_Mice: train 1 sentences>
    """
    unknown = [split for split in splits if split not in SPLITS]
    if unknown:
        raise InputError(f"the split {', '.join(unknown)} is none of {', '.join(SPLITS)}; rename it")
    train, dev, test = (tuple(splits.get(split, ())) for split in SPLITS)
    trees = [sentence.tree for sentence in (*train, *dev, *test)]
    conventions = detect_conventions(trees, release=release, folder=name)
    return Treebank(name, release, train, dev, test, conventions)


def _words(text: Text) -> tuple[str, list[list[str]]]:
    sent_id = text.sent_id if isinstance(text, Sentence) else ""
    rows = [line.split("\t") for line in conllu_text([text]).split("\n") if not line.startswith("#")]
    return sent_id, [row for row in rows if row[ID].isdigit()]


def _read(
    source: Any,
    single: type,
    lines_of: Callable[[Any, str], Sequence[str]],
    called: str,
    multiple_roots: bool,
) -> Any:
    """Return the sentence of one value of the class `single`, or of several, from their lines in CoNLL-U."""
    values = [source] if isinstance(source, single) else list(source)
    blocks = []
    for number, value in enumerate(values, start=1):
        lines = lines_of(value, f"{called} {number}")
        if all(line.startswith("#") for line in lines):
            raise InputError(f"{called} {number} has no words; leave it out")
        for line in lines:
            if "\n" in line or "\r" in line:
                raise InputError(f"{called} {number} has a line break in {line!r}; remove it")
        blocks.append("\n".join(lines) + "\n\n")
    stream = io.BytesIO("".join(blocks).encode())
    sentences = list(read_conllu(stream, multiple_roots=multiple_roots, name=f"{called}s"))
    return sentences[0] if isinstance(source, single) else sentences


def _word_lines(sent_id: Any, rows: Iterable[Sequence[str]]) -> list[str]:
    comments = [f"# sent_id = {sent_id}"] if sent_id else []
    return [*comments, *("\t".join(row) for row in rows)]


def _row(name: str, word: int, values: Mapping[Any, Any]) -> list[str]:
    missing = [column for column in ("form", "head", "deprel") if values.get(column) is None]
    if missing:
        raise InputError(f"{name}: word {word} has no {' and no '.join(missing)}; add it")
    row = {"id": word, **values}
    return ["_" if row.get(field) is None else str(row[field]) for field in FIELDS]
