"""Enhanced graphs follow basic trees, and what cannot follow is named."""

from __future__ import annotations

import io
import random
from pathlib import Path

import conllu
import pytest
from trees import random_heads

from learnability.treebanks.conllu_io import ConlluFile, read_conllu
from learnability.treebanks.conllu_writing import write_conllu
from learnability.treebanks.enhanced import follow_trees
from learnability.treebanks.sentence import Tree, find_cycle

Rows = list[tuple[str, str, str, int, str, str]]

SHARED: Rows = [
    ("Kim", "Kim", "PROPN", 2, "nsubj", "2:nsubj|4:nsubj"),
    ("ate", "eat", "VERB", 0, "root", "0:root"),
    ("and", "and", "CCONJ", 4, "cc", "4:cc"),
    ("talked", "talk", "VERB", 2, "conj", "2:conj:and"),
    ("of", "of", "ADP", 6, "case", "6:case"),
    ("fish", "fish", "NOUN", 4, "obl", "4:obl:of"),
    ("at", "at", "ADP", 8, "case", "8:case"),
    ("home", "home", "NOUN", 6, "nmod", "6:nmod:at"),
]
"""Kim is the subject of both verbs."""


def text_of(rows: Rows) -> bytes:
    lines = ["# sent_id = s1", "# text = x"]
    for number, (form, lemma, tag, head, deprel, deps) in enumerate(rows, start=1):
        lines.append("\t".join((str(number), form, lemma, tag, "_", "_", str(head), deprel, deps, "_")))
    return "\n".join([*lines, "", ""]).encode()


def change(rows: Rows, arcs: dict[int, tuple[int, str]]) -> tuple[dict[int, str], list[int]]:
    """Return the new DEPS of words, and the words to look at, after these words got other arcs."""
    file = read_conllu(io.BytesIO(text_of(rows)), name="x.conllu")
    (tree,) = [sentence.tree for sentence in file]
    heads, deprels = list(tree.heads), list(tree.deprels)
    for word, (head, deprel) in arcs.items():
        heads[word - 1], deprels[word - 1] = head, deprel
    new = tree.with_heads(heads, deprels)
    data = write_conllu(file, [new], deps="follow").decode()
    after = {int(token[0]): token[8] for token in cells_of(data)}
    changed = {word: deps for word, deps in after.items() if deps != rows[word - 1][5]}
    return changed, [line - 2 for line in follow_trees(file.sentences, [new]).unclear]


def cells_of(text: str) -> list[list[str]]:
    return [line.split("\t") for line in text.splitlines() if line and not line.startswith("#")]


@pytest.mark.parametrize(
    ("arcs", "follow", "unclear"),
    [
        ({8: (4, "obl")}, {8: "4:obl:at"}, []),  # what is added stays
        ({8: (4, "obj")}, {8: "4:obj"}, []),  # nothing is added to an object
        ({8: (6, "conj")}, {8: "6:conj"}, [8]),  # a conjunct has further edges, and no preposition
        ({1: (4, "nsubj")}, {1: "4:nsubj"}, [1]),  # the shared edge is the new one
        ({1: (2, "obj")}, {1: "2:obj|4:nsubj"}, [1]),  # the shared subject is no subject
        ({4: (2, "parataxis")}, {4: "2:parataxis"}, [1]),  # no conjunct shares a subject
        ({7: (4, "advmod")}, {7: "4:advmod"}, [8]),  # nmod:at has lost its preposition
        ({3: (6, "cc")}, {3: "6:cc"}, [4, 6]),  # conj:and has lost its conjunction
    ],
)  # fmt: skip
def test_an_edge_that_repeated_an_arc_follows_it(
    arcs: dict[int, tuple[int, str]], follow: dict[int, str], unclear: list[int]
) -> None:
    assert change(SHARED, arcs) == (follow, unclear)


def test_a_relation_gets_what_the_file_adds_to_it() -> None:
    """The new nmod has a preposition, which the file adds to others, so that somebody has to add it."""
    rows = [*SHARED, ("by", "by", "ADP", 10, "case", "10:case"), ("all", "all", "PRON", 4, "obj", "4:obj")]
    assert change(rows, {10: (6, "nmod")}) == ({10: "6:nmod"}, [10])
    bare = [(*row[:5], row[5].replace(":of", "").replace(":at", "")) for row in rows]
    assert change(bare, {10: (6, "nmod")}) == ({10: "6:nmod"}, [])


def test_the_subject_of_an_xcomp_is_named_and_the_edge_of_a_relative_clause() -> None:
    xcomp: Rows = [
        ("Kim", "Kim", "PROPN", 2, "nsubj", "2:nsubj|4:nsubj:xsubj"),
        ("wants", "want", "VERB", 0, "root", "0:root"),
        ("to", "to", "PART", 4, "mark", "4:mark"),
        ("go", "go", "VERB", 2, "xcomp", "2:xcomp"),
    ]
    assert change(xcomp, {4: (2, "advcl")}) == ({4: "2:advcl"}, [1])
    relative: Rows = [
        ("people", "people", "NOUN", 0, "root", "0:root|3:nsubj"),
        ("who", "who", "PRON", 3, "nsubj", "1:ref"),
        ("sleep", "sleep", "VERB", 1, "acl:relcl", "1:acl:relcl"),
    ]
    assert change(relative, {2: (3, "obj")}) == ({}, [1, 2])
    assert change(relative, {3: (1, "appos")}) == ({3: "1:appos"}, [1, 2])


def test_a_lemma_or_a_case_that_stands_in_a_relation_is_looked_at() -> None:
    rows = [*SHARED[:5], ("fish", "fish", "NOUN", 4, "obl", "4:obl:of:gen"), *SHARED[6:]]
    text = text_of(rows).replace(b"fish\tNOUN\t_\t_", b"fish\tNOUN\t_\tCase=Gen")
    file = read_conllu(io.BytesIO(text), name="x.conllu")
    (tree,) = [sentence.tree for sentence in file]
    other_case = tuple(feats.replace("Gen", "Loc") for feats in tree.feats)
    values = (tree.forms, tree.upos, tree.heads, tree.deprels)
    assert follow_trees(file.sentences, [Tree(*values, tree.lemmas, tree.xpos, other_case)]).unclear == [8]
    other_lemma = (*tree.lemmas[:4], "off", *tree.lemmas[5:])
    assert follow_trees(file.sentences, [Tree(*values, other_lemma, tree.xpos, tree.feats)]).unclear == [8]
    assert follow_trees(file.sentences, [tree]).unclear == []


def test_an_empty_node_has_no_arc_and_orphans_are_named() -> None:
    gapping = text_of([
        ("Kim", "Kim", "PROPN", 2, "nsubj", "2:nsubj"),
        ("ate", "eat", "VERB", 0, "root", "0:root"),
        ("Lee", "Lee", "PROPN", 2, "conj", "3.1:nsubj"),
        ("rice", "rice", "NOUN", 3, "orphan", "3.1:obj"),
    ]).replace(b"4\trice", b"3.1\tate\teat\tVERB\t_\t_\t_\t_\t2:conj\t_\n4\trice")  # fmt: skip
    file = read_conllu(io.BytesIO(gapping), name="x.conllu")
    (tree,) = [sentence.tree for sentence in file]
    new = tree.with_heads((2, 0, 2, 2), ("nsubj", "root", "conj", "obj"))
    update = follow_trees(file.sentences, [new])
    assert (update.followed, update.unclear) == ({}, [7])  # the line of rice, after the empty node


def test_a_malformed_cell_stays_and_is_named() -> None:
    rows = [*SHARED[:7], ("home", "home", "NOUN", 6, "nmod", "6")]
    assert change(rows, {8: (4, "obl")}) == ({}, [8])


def contradictions(old: str, new: str) -> int:
    """Count words whose edge repeats the old arc after this has changed, as another library reads both."""
    count = 0
    for before, after in zip(conllu.parse(old), conllu.parse(new), strict=True):
        for one, other in zip(before, after, strict=True):
            if not isinstance(one["id"], int) or one["deps"] is None:
                continue
            arc, new_arc = (one["head"], one["deprel"]), (other["head"], other["deprel"])
            if arc == new_arc:
                continue
            repeated = [
                rel for rel, head in one["deps"] if head == arc[0] and f"{rel}:".startswith(f"{arc[1]}:")
            ]
            left = [rel for rel, head in other["deps"] if (rel, head) in one["deps"] and head == arc[0]]
            left = [rel for rel in left if rel in repeated and not f"{rel}:".startswith(f"{new_arc[1]}:")]
            moved = [rel for rel in repeated if arc[0] != new_arc[0] and (rel, arc[0]) in other["deps"]]
            follows = any(
                head == new_arc[0] and f"{rel}:".startswith(f"{new_arc[1]}:") for rel, head in other["deps"]
            )
            count += bool(repeated) and (bool(left or moved) or not follows)
    return count


def graph_of(generator: random.Random, size: int) -> Rows:
    """Return a random tree whose edges repeat its arcs, some with a lemma, and some further edges."""
    heads = random_heads(generator, size)
    rows: Rows = []
    for head in heads:
        deprel = "root" if head == 0 else generator.choice(("obl", "nmod", "obj", "conj", "case"))
        added = generator.choice(("", ":of")) if deprel in ("obl", "nmod") else ""
        further = [f"{generator.randint(1, size)}:nsubj:xsubj"] if generator.random() < 0.3 else []
        edges = sorted({f"{head}:{deprel}{added}", *further}, key=lambda edge: int(edge.split(":")[0]))
        rows.append(("w", "w", "NOUN", head, deprel, "|".join(edges)))
    return rows


def rearranged(generator: random.Random, file: ConlluFile) -> list[Tree]:
    """Return the trees of a file, some words of which have other arcs."""
    trees = []
    for sentence in file:
        tree = sentence.tree
        for _ in range(3):
            heads, deprels = list(tree.heads), list(tree.deprels)
            word, head = generator.randint(1, len(tree)), generator.randint(1, len(tree))
            if heads[word - 1] == 0 or head == word:
                continue
            heads[word - 1], deprels[word - 1] = (
                head,
                generator.choice(("obl", "nmod", "obj", "conj", "case")),
            )
            if not find_cycle(heads):
                tree = tree.with_heads(heads, deprels)
        trees.append(tree)
    return trees


def test_no_edge_repeats_an_old_arc_as_another_library_reads_it() -> None:
    generator = random.Random(5)
    data = b"".join(text_of(graph_of(generator, generator.randint(2, 9))) for _ in range(300))
    file = read_conllu(io.BytesIO(data), name="x.conllu")
    new = rearranged(generator, file)
    kept = write_conllu(file, new, deps="keep").decode()
    assert contradictions(data.decode(), kept) > 200
    assert contradictions(data.decode(), write_conllu(file, new, deps="follow").decode()) == 0


def test_no_edge_of_a_real_treebank_repeats_an_old_arc(ud_home: Path) -> None:
    """UD_Tamil-TTB adds cases to its enhanced relations: `obl:loc`."""
    file = read_conllu(ud_home / "ud-treebanks-v2.16/UD_Tamil-TTB/ta_ttb-ud-test.conllu")
    new = rearranged(random.Random(5), file)
    data = file.data.decode()
    assert contradictions(data, write_conllu(file, new, deps="keep").decode()) > 100
    assert contradictions(data, write_conllu(file, new, deps="follow").decode()) == 0
