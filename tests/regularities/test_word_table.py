"""The columns of words are what a plain reading of the trees gives."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from random import Random

import pytest
from trees import random_tree

from learnability.regularities.contexts import ColumnValue, Context, Contexts, count_values
from learnability.regularities.lemma_edits import describe_edit
from learnability.regularities.word_table import ENDINGS, WordTable
from learnability.treebanks.conllu_io import read_conllu
from learnability.treebanks.sentence import Sentence, Tree

FEATS = ("_", "Case=Nom|Number=Sing", "Number=Plur", "Case=Acc,Dat", "Number[psor]=Sing")


def random_sentence(seed: int) -> Sentence:
    """A random tree with lemmas, XPOS, features and subtypes."""
    chance = Random(seed)
    tree = random_tree(seed, chance.randint(1, 12))
    words = range(len(tree))
    forms = tuple(chance.choice(("Ran", "ran", "houses", "is", "a", "Überall")) for _ in words)
    return Sentence(
        Tree(
            forms,
            tree.upos,
            tree.heads,
            tuple(deprel + chance.choice(("", ":pass")) for deprel in tree.deprels),
            tuple(chance.choice(("run", "house", "_")) for _ in words),
            tuple(chance.choice(("VB", "NN")) for _ in words),
            tuple(chance.choice(FEATS) for _ in words),
        ),
        sent_id=f"s{seed}",
        starts_document=seed % 4 == 0,
    )


TREEBANKS = [[random_sentence(seed) for seed in range(first, first + 40)] for first in (0, 100)]


def plain_value(tree: Tree, word: int, column: str) -> str:
    """The slow twin: the value of a word (from 0) in a column."""
    form, head = tree.forms[word].lower(), tree.heads[word]
    if column.startswith("feats:"):
        pairs = dict(pair.split("=") for pair in tree.feats[word].split("|") if pair != "_")
        return pairs.get(column[6:], "")
    if column in ENDINGS:
        letters = int(column[-1])
        return form[-letters:] if len(form) > letters else ""
    below = [tree.deprels[child].split(":")[0] for child, at in enumerate(tree.heads) if at == word + 1]
    return {
        "form": form,
        "lemma": tree.lemmas[word],
        "upos": tree.upos[word],
        "xpos": tree.xpos[word],
        "deprel": tree.deprels[word],
        "relation": tree.deprels[word].split(":")[0],
        "subtype": tree.deprels[word].partition(":")[2],
        "side": "root" if not head else "before" if head <= word else "after",
        "head_upos": tree.upos[head - 1] if head else "root",
        "children": " ".join(name for name in ("case", "mark", "cop") if name in below),
        "lemma_edit": describe_edit(tree.forms[word], tree.lemmas[word]),
        "surface": form,
        "split": form,
        "parts": "1",
    }[column]


COLUMNS = (
    *("form", "lemma", "upos", "xpos", "deprel", "relation", "subtype", "side", "head_upos"),
    *("children", "lemma_edit", "surface", "split", "feats:Number", "feats:Case", "feats:Number[psor]"),
    *ENDINGS,
)


@pytest.mark.parametrize("column", COLUMNS)
def test_a_column_is_what_the_trees_say(column: str) -> None:
    table = WordTable(TREEBANKS)
    expected = [
        plain_value(sentence.tree, word, column)
        for sentences in TREEBANKS
        for sentence in sentences
        for word in range(len(sentence))
    ]
    assert [table.value(column, word) for word in range(len(table))] == expected
    assert len(set(expected)) > 1


def test_words_know_their_treebank_sentence_and_document() -> None:
    table = WordTable(TREEBANKS)
    assert table.features == ("Case", "Number", "Number[psor]")
    words = [
        (number, place, position)
        for number, sentences in enumerate(TREEBANKS)
        for place, sentence in enumerate(sentences)
        for position in range(1, len(sentence) + 1)
    ]
    for word, (treebank, place, position) in enumerate(words):
        assert table.treebank[word] == treebank
        assert table.sentence[word] == 40 * treebank + place
        assert table.position[word] == position
        assert table.document[word] == 10 * treebank + place // 4


def documents(names: list[str]) -> list[int]:
    """The documents of sentences with one word each and these ids."""
    tree = Tree(("a",), ("X",), (0,), ("root",))
    return WordTable([[Sentence(tree, name, numbered=not name) for name in names]]).document.tolist()


def test_documents_follow_ids_or_neighbours_where_none_is_marked() -> None:
    named = [f"blog-{text}-{number:02d}" for text in "abcdefghijklm" for number in (1, 2, 3)]
    assert documents(named) == [number // 3 for number in range(39)]
    assert documents([f"s{number}" for number in range(25)]) == [number // 10 for number in range(25)]
    assert documents([""] * 12) == [0] * 10 + [1] * 2


SPLIT = """# sent_id = 1
1-2	Du	_	_	_	_	_	_	_	_
1	De	de	ADP	_	_	3	case	_	_
2	le	le	DET	_	_	3	det	_	_
3	pain	pain	NOUN	_	_	0	root	_	_
4-5	dimelo	_	_	_	_	_	_	_	_
4	dime	dir	VERB	_	_	3	dep	_	_
5	lo	él	PRON	_	_	4	obj	_	_

"""


def test_surface_tokens_stand_with_their_first_words(tmp_path: Path) -> None:
    (tmp_path / "x.conllu").write_text(SPLIT, encoding="utf-8")
    table = WordTable([read_conllu(tmp_path / "x.conllu").sentences])
    tokens = [(table.value("surface", word), table.value("split", word)) for word in range(5)]
    assert tokens == [("du", "de+le"), ("", ""), ("pain", "pain"), ("dimelo", "dime+lo"), ("", "")]
    assert [table.value("parts", word) for word in range(5)] == ["2", "", "1", "2", ""]
    assert [table.value("token_ending2", word) for word in range(5)] == ["", "", "in", "lo", ""]
    assert Context.of(table, ("token_ending2",), 3).describe() == "tokens ending in -lo"
    assert Context.of(table, ("surface",), 3).query() == ""


def test_trees_without_heads_or_columns_have_empty_values() -> None:
    table = WordTable([[Sentence(Tree(("a", "b"), ("X", "Y")))]])
    assert [table.value("side", word) for word in (0, 1)] == ["root", "root"]
    assert table.value("lemma", 0) == "_"
    assert table.value("lemma_edit", 0) == ""
    assert table.features == ()


@pytest.mark.parametrize("columns", [(), ("upos",), ("upos", "lemma"), ("form", "children", "feats:Case")])
def test_values_are_counted_in_contexts(columns: tuple[str, ...]) -> None:
    table = WordTable(TREEBANKS)
    contexts = Contexts.of(table, columns)
    counts = count_values(contexts, table.column("feats:Number").codes, table.treebank)
    plain = Counter(
        (Context.of(table, columns, word), table.value("feats:Number", word), int(table.treebank[word]))
        for word in range(len(table))
    )
    found = {
        (
            Context.of(table, columns, int(contexts.first_word[context])),
            table.column("feats:Number").names[value],
            treebank,
        ): int(counts.words[pair, treebank])
        for pair, (context, value) in enumerate(zip(counts.contexts, counts.values, strict=True))
        for treebank in (0, 1)
        if counts.words[pair, treebank]
    }
    assert found == plain


def test_contexts_go_from_general_to_special() -> None:
    for column in ("upos", "xpos", "lemma_edit", "relation", "subtype", "side", "head_upos", "feats:Case"):
        contexts = Context.columns_for(column, ("Case", "Number"))
        assert all(column not in columns for columns in contexts)
        assert len(set(contexts)) == len(contexts)
        assert contexts[-1][-1] == "form"
        assert list(map(len, contexts)) == sorted(map(len, contexts))
    assert ("upos", "xpos") not in Context.columns_for("feats:Case", (), with_xpos=False)


def test_contexts_are_said_in_words() -> None:
    table = WordTable(TREEBANKS)
    for column in (*COLUMNS, "head_upos"):
        if column not in ("lemma_edit", "split"):
            described = Context.of(table, ("upos", column), 0).describe()
            assert described.startswith(table.value("upos", 0))
    word = next(word for word in range(len(table)) if table.value("feats:Case", word) == "Nom")
    assert Context.of(table, ("feats:Case",), word).describe() == "words with Case=Nom"
    assert Context().describe() == "all words"


def test_queries_say_the_context() -> None:
    def query(*context: tuple[str, str]) -> str:
        return Context(ColumnValue(*each) for each in context).query()

    assert query(("upos", "AUX"), ("xpos", "VBP")) == 'pattern { W [upos="AUX", xpos="VBP"] }'
    assert query(("upos", "VERB"), ("feats:Number[psor]", "")) == 'pattern { W [upos="VERB", !Number__psor] }'
    assert (
        query(("relation", "obl"), ("head_upos", "VERB"))
        == 'pattern { W []; H -> W; H -[1=obl]-> W; H [upos="VERB"] }'
    )
    assert query(("form", "ran")) == 'pattern { W [form="ran"|"Ran"] }'
    assert query(("upos", "NOUN"), ("ending2", "s.")) == 'pattern { W [upos="NOUN", form=re".*s\\."] }'
    assert query(("upos", "NOUN"), ("children", "case")) == (
        'pattern { W [upos="NOUN"]; W -[1=case]-> C0 } without { W -[1=mark]-> C1 } '
        "without { W -[1=cop]-> C2 }"
    )
    assert query(("lemma_edit", "-s > -")) == ""


@pytest.mark.parametrize(
    ("form", "lemma", "edit"),
    [
        ("Paris", "paris", "= form"),
        ("Romans", "Roman", "-s > -, capital kept"),
        ("a", "_", ""),
    ],
)
def test_lemmas_follow_by_their_endings(form: str, lemma: str, edit: str) -> None:
    assert describe_edit(form, lemma) == edit


def test_a_lemma_that_is_its_form_is_made_again() -> None:
    """What `lemma_edit` says of a word makes its lemma, or nothing if the lemma is not the form."""
    forms, lemmas = ("Paris", "Runs", "Ran"), ("Paris", "runs", "run")
    tree = Tree(forms, ("X",) * 3, (0, 1, 1), ("root", "dep", "dep"), lemmas)
    table = WordTable([[Sentence(tree)]])
    made = [table.make_lemma(form, table.value("lemma_edit", word)) for word, form in enumerate(forms)]
    assert made == ["Paris", "runs", None]
