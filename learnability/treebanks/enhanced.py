"""Let enhanced graphs (DEPS) follow the basic trees of their sentences, and find what cannot follow.

An enhanced edge that repeats the basic arc of its word has the same head and the same relation, to which a
lemma or a case may be added: `nmod:of` for `nmod`. Such an edge follows the new arc.

Every other edge results from the arcs on the basic path between its two words. The subject that a conjunct
shares results from its own arc and from that of the conjunct, the subject of an `xcomp` from both arcs. If
one of these arcs changes, the edge may contradict the new tree, and somebody has to look at it.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from learnability.treebanks.columns import DEPREL, DEPS, FEATS, HEAD, ID, LEMMA
from learnability.treebanks.labels import universal
from learnability.treebanks.sentence import UNSPECIFIED, Sentence, Tree

DepsPolicy = Literal["drop", "keep", "follow"]
"""What becomes of enhanced graphs when heads or relations change; see
:func:`~learnability.treebanks.conllu_writing.write_conllu`."""

_EDGE = re.compile(r"((?:0|[1-9][0-9]*)(?:\.[1-9][0-9]*)?):(.+)")

_MARKERS = frozenset({"case", "mark", "cc"})
"""The relations of words whose lemmas are added to the relation of their head."""

_SPREADING = ("conj", "xcomp", "acl:relcl")
"""The relations that give words further edges: of conjuncts, of shared subjects, of relative clauses."""


class Edge(NamedTuple):
    """Represent an arc, or an edge of an enhanced graph: the ID of the head, and the relation."""

    head: str
    deprel: str

    @property
    def order(self) -> tuple[int, int, str]:
        """Return what the guidelines sort the edges of a word by: the head, then the relation."""
        word, _, number = self.head.partition(".")
        return int(word), int(number or 0), self.deprel


@dataclass
class EnhancedUpdate:
    """Hold what new basic trees mean for the enhanced graphs of a file."""

    file: str
    followed: dict[int, str] = field(default_factory=dict)
    unclear: list[int] = field(default_factory=list)

    @property
    def contradicted(self) -> list[str]:
        """Return file and line of the words whose edges may contradict the new trees."""
        return [f"{self.file}:{line}" for line in self.unclear]


def follow_trees(sentences: Sequence[Sentence], trees: Iterable[Tree]) -> EnhancedUpdate:
    """Return how enhanced graphs follow new basic trees, and which words somebody has to look at.

    Args:
        sentences: those of a file, with their lines.
        trees: the new tree of each.
    """
    update = EnhancedUpdate(sentences[0].file if sentences else "")
    extended: Set[str] | None = None
    for sentence, tree in zip(sentences, trees, strict=True):
        graph = _Graph(sentence, tree)
        if not graph.is_affected:
            continue
        if extended is None:
            extended = _extended_relations(sentences)
        for word, row in graph.rows.items():
            number = sentence.line + row
            edges = read_edges(graph.cells[word][DEPS])
            if edges is None:  # its meaning is unknown
                is_unclear = word in graph.changed
            else:
                new_edges, is_unclear = graph.follow(word, edges, extended)
                if set(new_edges) != set(edges):
                    in_order = sorted(set(new_edges), key=lambda edge: edge.order)
                    update.followed[number] = "|".join(f"{edge.head}:{edge.deprel}" for edge in in_order)
            if is_unclear:
                update.unclear.append(number)
    return update


def read_edges(deps: str) -> list[Edge] | None:
    """Return the edges in a cell of DEPS; None if the cell is malformed."""
    if deps == UNSPECIFIED:
        return []
    matches = [_EDGE.fullmatch(part) for part in deps.split("|")]
    edges = [Edge(match[1], match[2]) for match in matches if match is not None]
    return edges if len(edges) == len(matches) else None


def repeating_edges(edges: Collection[Edge], arc: Edge) -> list[Edge]:
    """Return the enhanced edges of a word that repeat its basic arc."""
    at_head = [edge for edge in edges if edge.head == arc.head]
    closest = [edge for edge in at_head if _extends(edge.deprel, arc.deprel)]
    return closest or [edge for edge in at_head if universal(edge.deprel) == universal(arc.deprel)]


def _extends(deprel: str, relation: str) -> bool:
    return f"{deprel}:".startswith(f"{relation}:")


def _extended_relations(sentences: Iterable[Sentence]) -> Set[str]:
    extended = set()
    for sentence in sentences:
        for row in sentence.rows:
            cells = sentence.lines[row].split("\t")
            arc = Edge(cells[HEAD], cells[DEPREL])
            for edge in read_edges(cells[DEPS]) or ():
                if edge.head == arc.head and edge.deprel != arc.deprel and _extends(edge.deprel, arc.deprel):
                    extended.add(arc.deprel)
    return extended


class _Graph:
    """The enhanced graph of a sentence, whose basic tree changes.

    Attributes:
        cells, rows: the columns and the row of each word and empty node with edges, by ID.
        changed: the words with another arc.
        remarked: the words that are marked by other words than before (case, mark, cc), or by other lemmas.
        lost_cases: the morphological cases that words have no longer.
        pronouns: the relative pronouns of each noun, from which it takes an edge: those with a `ref` to it.
    """

    def __init__(self, sentence: Sentence, tree: Tree) -> None:
        every: dict[str, list[str]] = {}
        self.rows: dict[str, int] = {}
        for row, line in enumerate(sentence.lines):
            cells = line.split("\t")
            if line.startswith("#") or "-" in cells[ID]:
                continue
            every[cells[ID]] = cells
            if cells[DEPS] != UNSPECIFIED:
                self.rows[cells[ID]] = row
        self.cells = every
        self.is_affected = False
        if not self.rows:
            return
        words = [str(token) for token in range(1, len(tree) + 1)]
        self.old = {word: Edge(every[word][HEAD], every[word][DEPREL]) for word in words}
        self.new = {word: Edge(str(tree.heads[i]), tree.deprels[i]) for i, word in enumerate(words)}
        self.changed = {word for word in words if self.old[word] != self.new[word]}
        old_lemmas = {word: every[word][LEMMA] for word in words}
        new_lemmas = dict(zip(words, tree.lemmas, strict=True)) if tree.lemmas else old_lemmas
        old_markers, self.markers = _markers(self.old, old_lemmas), _markers(self.new, new_lemmas)
        self.remarked = {word for word in words if old_markers.get(word) != self.markers.get(word)}
        self.lost_cases = {
            word: lost
            for word, feats in zip(words, tree.feats, strict=False)
            if (lost := _cases(every[word][FEATS]) - _cases(feats))
        }
        self.pronouns = self._relative_pronouns()
        self.is_affected = bool(self.changed or self.remarked or self.lost_cases)

    def follow(self, word: str, edges: Sequence[Edge], extended: Set[str]) -> tuple[list[Edge], bool]:
        """Return the new edges of a word, and whether to look at them; `extended`: relations with
        additions."""
        arc = self.old.get(word)  # an empty node has none
        repeating = repeating_edges(edges, arc) if arc else []
        others = [edge for edge in edges if edge not in repeating]
        paths = [(edge, self._path(word, edge.head)) for edge in others]
        paths += [(edge, set()) for edge in repeating]
        is_unclear = any(self._is_stale(word, edge, path, extended) for edge, path in paths)
        if arc is None:
            return list(edges), is_unclear
        new = self.new[word]
        followed = [
            Edge(new.head, _relabel(edge.deprel, arc.deprel, new.deprel, extended)) for edge in repeating
        ]
        if word in self.changed | self.remarked:
            is_bare = any(edge.deprel == new.deprel for edge in followed)
            is_unclear |= is_bare and new.deprel in extended and word in self.markers
        if word in self.changed:
            is_unclear |= not repeating or _spreads(new.deprel) not in ("", _spreads(arc.deprel))
        return [*followed, *others], is_unclear

    def _is_stale(self, word: str, edge: Edge, path: Set[str], extended: Set[str]) -> bool:
        """Return whether an edge may contradict the new tree; `path` is empty if it repeats the basic arc."""
        if path & self.changed:
            return True
        pronouns = self.pronouns.get(word, ())
        if path and any(self.old[each].head == edge.head and each in self.changed for each in pronouns):
            return True
        relation, *added = edge.deprel.split(":")
        if not path:
            added = added[self.old[word].deprel.count(":") :]
        concerned = path | {word}
        if added and relation in map(universal, extended) and concerned & self.remarked:
            return True
        return any(case in added for each in concerned for case in self.lost_cases.get(each, ()))

    def _relative_pronouns(self) -> dict[str, list[str]]:
        found: defaultdict[str, list[str]] = defaultdict(list)
        for word in self.old:
            for edge in read_edges(self.cells[word][DEPS]) or ():
                if edge.deprel == "ref":
                    found[edge.head].append(word)
        return dict(found)

    def _path(self, word: str, head: str) -> Set[str]:
        """Return the words whose basic arcs lie between two words; an empty node hangs from its first
        head."""
        first, second = list(self._ancestors(word)), list(self._ancestors(head))
        return {*first, *second} - ({*first} & {*second})

    def _ancestors(self, word: str) -> Iterator[str]:
        seen: set[str] = set()
        while word in self.cells and word not in seen:
            seen.add(word)
            yield word
            if word in self.old:
                word = self.old[word].head
            else:
                edges = read_edges(self.cells[word][DEPS])
                word = edges[0].head if edges else ""


def _markers(arcs: Mapping[str, Edge], lemmas: Mapping[str, str]) -> dict[str, set[tuple[str, str]]]:
    marked: defaultdict[str, set[tuple[str, str]]] = defaultdict(set)
    for word, arc in arcs.items():
        if universal(arc.deprel) in _MARKERS:
            marked[arc.head].add((word, lemmas[word].lower()))
        above = arcs.get(arc.head)
        if universal(arc.deprel) == "fixed" and above and universal(above.deprel) in _MARKERS:
            marked[above.head].add((word, lemmas[word].lower()))
    return dict(marked)


def _cases(feats: str) -> set[str]:
    found = [value for name, _, value in (each.partition("=") for each in feats.split("|")) if name == "Case"]
    return {case.lower() for value in found for case in value.split(",")}


def _spreads(deprel: str) -> str:
    return next((relation for relation in _SPREADING if _extends(deprel, relation)), "")


def _relabel(label: str, old: str, new: str, extended: Set[str]) -> str:
    """Return the relation of an enhanced edge after its basic relation has changed.

    What is added stays if the file adds something to the new relation, too. A conjunction (`conj:and`) is no
    preposition (`nmod:of`).
    """
    if old == new:
        return label
    is_same_kind = (universal(old) == "conj") == (universal(new) == "conj")
    if new not in extended or not is_same_kind:
        return new
    return new + label.removeprefix(old if _extends(label, old) else universal(label))
