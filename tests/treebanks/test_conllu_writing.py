from __future__ import annotations

import io
import random
from dataclasses import replace

import pytest
from conllu_examples import AWKWARD, conllu, read, words
from hypothesis import given
from hypothesis import strategies as st
from trees import random_heads

from learnability.errors import InputError
from learnability.treebanks.conllu_io import ConlluFile, read_conllu
from learnability.treebanks.conllu_writing import conllu_text, write_conllu
from learnability.treebanks.sentence import Tree


def trees(file: ConlluFile) -> list[Tree]:
    return [sentence.tree for sentence in file.sentences]


def shapes() -> list[bytes]:
    """The awkward file in every outer shape a file can have."""
    two = AWKWARD + words([2, 0], "s2")
    return [
        two,
        two.replace(b"\n", b"\r\n"),
        two.replace(b"\n", b"\r\n", 5),
        two.rstrip(b"\n"),
        two.rstrip(b"\n") + b"\n",
        b"\xef\xbb\xbf" + two,
        b"\n\n" + two.replace(b"\n\n", b"\n\n\n") + b"# trailing comment\n\n \n",
        b"# leading comment\n\n" + two,
        b"",
    ]


@pytest.mark.parametrize("data", shapes())
def test_unchanged_heads_give_the_very_bytes(data: bytes) -> None:
    file = read(data)
    assert write_conllu(file, trees(file)) == data


@pytest.mark.parametrize("data", shapes()[:-1])
def test_keep_changes_one_cell_and_nothing_else(data: bytes) -> None:
    file = read(data)
    changed = trees(file)
    changed[0] = changed[0].with_heads((2, 3, 0, 3))
    expected = data.replace(b"AUX\t_\t_\t3\taux", b"AUX\t_\t_\t2\taux")
    assert expected != data
    assert write_conllu(file, changed, deps="keep") == expected


@pytest.mark.parametrize("data", shapes()[:-1])
def test_drop_empties_deps_and_removes_empty_nodes_in_all_sentences(data: bytes) -> None:
    file = read(data)
    changed = trees(file)
    changed[1] = changed[1].with_heads((0, 1), ("root", "dep"))
    expected = []
    for line in data.split(b"\n"):
        cells = line.split(b"\t")
        if len(cells) == 10:
            if b"." in cells[0]:
                continue
            cells[8] = b"_"
        line = b"\t".join(cells)
        line = line.replace(b"1\ta\t_\tX\t_\t_\t2\tdep", b"1\ta\t_\tX\t_\t_\t0\troot")
        expected.append(line.replace(b"2\tb\t_\tX\t_\t_\t0\tdep", b"2\tb\t_\tX\t_\t_\t1\tdep"))
    assert write_conllu(file, changed) == b"\n".join(expected)


def test_a_changed_deprel_alone_is_written() -> None:
    file = read(words([0, 1]))
    tree = file.sentences[0].tree.with_heads((0, 1), ("root", "dep"))
    assert write_conllu(file, [tree]) == words([0, 1]).replace(b"0\tdep", b"0\troot")


def test_a_first_word_behind_a_byte_order_mark_can_be_rewritten() -> None:
    data = b"\xef\xbb\xbf" + conllu("1 a _ X _ _ 2 dep _ _\n2 b _ X _ _ 0 root _ _")
    file = read(data)
    written = write_conllu(file, [file.sentences[0].tree.with_heads((0, 1))])
    assert written == data.replace(b"2\tdep", b"0\tdep").replace(b"0\troot", b"1\troot")


def test_wrong_number_of_trees_or_words_is_refused() -> None:
    file = read(words([0, 1]))
    with pytest.raises(InputError, match="0 trees for 1 sentence"):
        write_conllu(file, [])
    with pytest.raises(InputError, match="its tree has 1 word instead of 2"):
        write_conllu(file, trees(read(words([0]))))


@pytest.mark.parametrize("data", shapes()[:-1])
def test_a_comment_names_the_transformations_until_the_trees_are_ud_again(data: bytes) -> None:
    file = read(data)
    changed = trees(file)
    changed[0] = changed[0].with_heads((2, 3, 0, 3))
    plain = write_conllu(file, changed, deps="keep")
    written = write_conllu(file, changed, deps="keep", transformed="case+det")
    mark = b"# transformed = case+det" + (b"\r\n" if data.count(b"\r\n") > 5 else b"\n")
    assert written.count(b"transformed") == 1
    assert written.replace(mark, b"") == plain
    before, after = written.split(mark)
    assert after.startswith((b"0.1", b"1-2", b"1\t"))
    assert not before or before[-1:] == b"\n" or before == b"\xef\xbb\xbf"
    assert [sentence.transformed for sentence in read(written)] == ["case+det", ""]
    assert write_conllu(read(written), trees(file), deps="keep", transformed="") == data
    parsed = write_conllu(read(written), file, deps="keep", predicted=True, transformed="mwe")
    assert [sentence.transformed for sentence in read(parsed)] == ["mwe", "mwe"]


def test_parser_input_without_heads_gets_them() -> None:
    file = read(words(["_"]), require_trees=False)
    tree = file.sentences[0].tree.with_heads((0,), ("root",))
    assert write_conllu(file, [tree]) == words([0]).replace(b"dep", b"root")


def test_a_comment_on_the_first_line_comes_and_goes_behind_the_bom() -> None:
    data = b"\xef\xbb\xbf" + words([0, 1, 2]).partition(b"\n")[2]
    file = read(data)
    tree = file.sentences[0].tree.with_heads((0, 1, 1))
    there = write_conllu(file, [tree], transformed="det")
    assert there.startswith(b"\xef\xbb\xbf# transformed = det\n1\ta")
    assert write_conllu(read(there), trees(file), transformed="") == data


def another_tree(tree: Tree, rng: random.Random) -> Tree:
    """Another tree over the same words."""
    heads = random_heads(rng, len(tree))
    deprels = list(tree.deprels)
    rng.shuffle(deprels)
    return tree.with_heads(heads, deprels)


@given(st.integers(0, 10**6), st.sampled_from(shapes()[:-1]))
def test_any_trees_are_written_and_undone_exactly(seed: int, data: bytes) -> None:
    file = read(data)
    rng = random.Random(seed)
    changed = [another_tree(tree, rng) for tree in trees(file)]
    written = read(write_conllu(file, changed, deps="keep"))
    assert trees(written) == changed
    assert write_conllu(written, trees(file), deps="keep") == data


def test_lines_follow_a_tree_that_was_replaced() -> None:
    """Else parsers would be trained on what a caller has changed (`run_experiment` writes its sentences)."""
    text = (
        "# sent_id = s\n1-2\tdu\t_\t_\t_\t_\t_\t_\t_\t_\n1\tde\tde\tADP\t_\t_\t3\tcase\t3:case\t_\n"
        "2\tle\tle\tDET\t_\t_\t3\tdet\t3:det\tA=B\n3\tchat\tchat\tNOUN\t_\t_\t0\troot\t0:root\t_\n\n"
    )
    (sentence,) = read_conllu(io.BytesIO(text.encode())).sentences
    assert conllu_text([sentence]) == text
    tree = sentence.tree.with_heads((0, 3, 1), ("root", "det", "comp"))
    changed = conllu_text([replace(sentence, tree=replace(tree, upos=("ADP", "PRON", "NOUN")))])
    assert changed == (
        "# sent_id = s\n1-2\tdu\t_\t_\t_\t_\t_\t_\t_\t_\n1\tde\tde\tADP\t_\t_\t0\troot\t_\t_\n"
        "2\tle\tle\tPRON\t_\t_\t3\tdet\t3:det\tA=B\n3\tchat\tchat\tNOUN\t_\t_\t1\tcomp\t_\t_\n\n"
    )
    (again,) = read_conllu(io.BytesIO(changed.encode())).sentences
    assert again.tree.heads == (0, 3, 1)
