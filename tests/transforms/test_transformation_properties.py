"""The promised properties of every transformation, on random trees with random labels."""

from __future__ import annotations

from itertools import combinations, product

import pytest
from hypothesis import Phase, assume, find, given, settings
from hypothesis import strategies as st
from naive_rules import Naive
from transform_trees import decisions, tree, variants
from transform_trees import transformation as joint
from trees import all_trees, is_projective, is_tree, labelled_trees

from learnability.errors import InputError
from learnability.transforms.joint import JointTransformation
from learnability.transforms.plan import Place, depends_on
from learnability.transforms.registry import PAPER, TRANSFORMATIONS, get_transformation
from learnability.treebanks.labels import UNIVERSAL
from learnability.treebanks.sentence import Conventions, Tree

FUNCTIONS = ["case", "det", "mark", "cop", "aux", "aux:pass", "nsubj", "punct"]
FLAT = ["fixed", "flat"]
COORDINATED_PHRASES = ["cc", "conj", "conj", "case", "case", "obj"]
EVERYTHING = [
    *("case", "det", "cop", "cc", "cc", "conj", "conj", "fixed", "fixed", "flat", "flat", "punct", "obl")
]
OTHERS = ["conj", "conj", "conj", "obj", "nsubj", "nsubj:pass", "punct"]
LABELS = sorted(UNIVERSAL | {"aux:pass", "cc:preconj", "flat:name", "flat:foreign"})


def labels_for(spec):
    """About as many labels of the transformation's own as of others."""
    rules = joint(spec).rules
    own = [name for name in LABELS if any(rule.matches(name) for rule in rules)]
    return own * max(1, 6 // len(own)) + OTHERS


TOGETHER = {
    "case+det+mark+cop+aux": FUNCTIONS,
    "mwe+name": FLAT,
    "cc+case": COORDINATED_PHRASES,
    "cc:style=moscow+case": COORDINATED_PHRASES,
    "conj+case": COORDINATED_PHRASES,
    "cc+conj": ["cc", "conj", "conj", "conj", "punct"],
    "cc:style=moscow+conj:direction=left": ["cc", "conj", "conj", "conj", "punct"],
    "conj+mwe+name+case": ["conj", "conj", "fixed", "fixed", "flat", "case", "punct"],
    "punct+case+mwe": ["punct", "punct", "case", "fixed", "fixed", "obl"],
    "punct+conjuncts": ["punct", "punct", "conj", "conj", "conj", "parataxis", "advcl"],
    "punct:head=neighbour+conjuncts+foreign": ["punct", "punct", "conj", "conj", "conj", "flat:foreign"],
    "cc+conjuncts+punct:head=root": ["cc", "conj", "conj", "conj", "punct", "obl"],
    "cc:style=moscow+conjuncts+mwe": ["cc", "conj", "conj", "fixed", "fixed", "obl"],
    "conj:direction=left+conjuncts": ["conj", "conj", "conj", "cc", "punct"],
    "punct:head=root+conj+cop:reattach=clause": ["punct", "punct", "conj", "cc", "cop", "advcl"],
    "punct:head=neighbour+cc:style=moscow+name": ["punct", "punct", "conj", "cc", "flat", "flat"],
    "cop:reattach=clause+mark+cc": ["cop", "mark", "nsubj", "cc", "conj", "det"],
    "cc+mwe+name": ["cc", "conj", "conj", "fixed", "flat", "flat", "obj"],
    "cc+mwe+name+case": EVERYTHING,
    "+".join(PAPER): EVERYTHING,
    "+".join((*PAPER, "aux")): EVERYTHING,
    "+".join(TRANSFORMATIONS): labels_for("+".join(TRANSFORMATIONS)),
}
SPOKEN = ["conj", "conj", "cc", "parataxis", "discourse", "punct", "obl"]
LABELS_OF = {spec: labels_for(spec) for spec in variants()} | TOGETHER | {"conjuncts": SPOKEN}


@pytest.mark.parametrize("spec", LABELS_OF)
def test_random_trees_have_places(spec):
    unshrunk = settings(phases=[Phase.generate])  # any tree will do, not only the smallest
    trees = labelled_trees(LABELS_OF[spec])
    assert joint(spec).places(find(trees, lambda tree: joint(spec).places(tree), settings=unshrunk))


@pytest.mark.parametrize("spec", LABELS_OF)
@settings(max_examples=settings().max_examples // 2)
@given(data=st.data())
def test_promises_hold_for_every_selection(spec, data):
    before, transformation = data.draw(labelled_trees(LABELS_OF[spec])), joint(spec)
    plan = transformation.plan(before)
    assume(len(plan.places) <= 7)
    _promises_hold(transformation, before, plan)


HARD = [
    # A nested coordination that the coordinator of the outer one cuts in two.
    ("cc", "0 8 5 5 8 5 8 1 1", "root obj obj conj conj cc cc conj cc"),
    ("cc:style=moscow", "0 3 6 3 6 1 1 1 1", "root conj conj cc cc conj cc conj conj"),
    # Parataxis between conjuncts, and one before another word behind them.
    ("conjuncts", "0 1 1 1", "root conj parataxis conj"),
    ("conjuncts", "0 1 1 1", "root conj discourse obl"),
    # A coordinator before a word that stays on the first conjunct.
    ("conjuncts", "0 1 1 1", "root cc obl conj"),
    # A mark that goes to the first conjunct and stands before another one.
    ("punct+conjuncts", "0 1 2 1", "root punct punct conj"),
    # A second conjunct that a coordinator replaces.
    ("cc+conjuncts", "0 1 2 2 1", "root conj cc conj conj"),
    # A coordinator in the place of a word behind a coordination, and another word behind it.
    ("cc+conjuncts", "0 1 1 3 3 1", "root conj obl cc conj obl"),
    # A dependent beyond both an inner and an outer coordinator.
    ("cc", "8 1 1 1 1 8 8 0", "conj cc conj cc obj conj cc root"),
    # A coordinated function word whose last conjunct has a conjunct of its own.
    ("conj+case", "4 1 2 0", "case conj conj root"),
    ("cc+case", "4 3 1 0", "case cc conj root"),
]


@pytest.mark.parametrize(("spec", "heads", "labels"), HARD)
def test_promises_hold_on_trees_that_once_broke_them(spec, heads, labels):
    before = tree(" ".join(f"w{i}" for i in range(len(labels.split()))), heads, labels)
    _promises_hold(joint(spec), before, joint(spec).plan(before))


@pytest.mark.parametrize(
    ("spec", "version", "labels", "size"),
    [
        ("punct+conjuncts", 2, ("conj", "punct"), 4),
        ("punct:head=root+conjuncts", 2, ("conj", "punct"), 4),
        ("punct:head=neighbour+conjuncts", 1, ("conj", "punct"), 4),
        ("cc+conjuncts", 2, ("conj", "cc"), 5),
    ],
)
def test_no_small_projective_tree_crosses_arcs(spec, version, labels, size):
    """The smallest trees that once did; `research/crossing` goes through all combinations."""
    forms = tuple(f"w{i}" for i in range(size))
    for heads in filter(is_projective, all_trees(size)):
        for names in product(labels, repeat=size - 1):
            root = heads.index(0)
            before = Tree(forms, ("X",) * size, heads, (*names[:root], "root", *names[root:]))
            plan = joint(spec, version).plan(before)
            tokens = [place.token for place in plan.places]
            for count in range(len(tokens) + 1):
                for selected in combinations(tokens, count):
                    assert is_projective(plan.heads(selected)), (heads, names, selected)


def _promises_hold(transformation, before, plan):
    promised = transformation.promised
    tokens = [place.token for place in plan.places]
    assert tokens == sorted(set(tokens))
    outcomes = {}
    for answers in product((False, True), repeat=len(tokens)):
        selected = frozenset(token for token, answer in zip(tokens, answers, strict=True) if answer)
        outcomes[selected] = plan.heads(selected)
    projective = is_projective(before.heads)
    for heads in outcomes.values():
        assert is_tree(heads) or not promised.tree
        assert is_projective(heads) or not projective or not promised.projective
    assert outcomes[frozenset()] == before.heads
    assert len(set(outcomes.values())) == len(outcomes) or not promised.distinct
    _leaves_are_exact(transformation, before, plan, outcomes)


def _leaves_are_exact(transformation, before, plan, outcomes):
    flipped = [
        (place.token, heads, outcomes[selected | {place.token}])
        for place in plan.places
        for selected, heads in outcomes.items()
        if place.token not in selected
    ]
    for token, leaves in decisions(transformation, before):
        for selected, heads in outcomes.items():
            reached = [
                head for path, head in leaves if all((place in selected) == answer for place, answer in path)
            ]
            assert reached == [heads[token - 1]]
        flips = {place for place, without, with_it in flipped if without[token - 1] != with_it[token - 1]}
        assert depends_on(leaves) == flips
        assert token in plan.varying or not flips
        assert set(plan.possible_heads(token)) == {heads[token - 1] for heads in outcomes.values()}


@pytest.mark.parametrize("labels", ["keep", "external"])
@settings(max_examples=40)
@given(data=st.data())
def test_leaves_tell_the_deprels_of_every_selection(labels, data):
    plan = joint("+".join(PAPER)).plan(data.draw(labelled_trees(EVERYTHING)))
    selected = {place.token for place in plan.places if data.draw(st.booleans())}
    after = plan.reference(selected, labels)
    for token, expected in enumerate(zip(after.heads, after.deprels, strict=True), start=1):
        reached = [
            leaf
            for path, leaf in plan.leaves(token, labels)
            if all((place in selected) == answer for place, answer in path)
        ]
        assert reached == [expected]


CHAINED = [spec for spec in TOGETHER if "conjuncts" in spec.split("+")]


@pytest.mark.parametrize("spec", ["case+det+mark+cop+aux", *CHAINED, *variants()])
@settings(max_examples=settings().max_examples // 2)
@given(data=st.data())
def test_rules_equal_a_second_implementation(spec, data):
    before = data.draw(labelled_trees(LABELS_OF[spec], projective=True, longest=12))
    version = data.draw(st.sampled_from([1, 2]))
    transformation = joint(spec, version)
    places = transformation.places(before)
    chosen = data.draw(st.sets(st.sampled_from(places))) if places else set()
    selected = {name: [s.token for s in chosen if s.transform == name] for name in TRANSFORMATIONS}
    after = transformation.apply(before, chosen, labels="external")
    assert (after.heads, after.deprels) == Naive(before, spec, Conventions(version)).apply(selected)


@given(before=labelled_trees(EVERYTHING, longest=12))
def test_exactly_the_root_bears_the_root_label(before):
    after = joint("+".join(PAPER)).apply(before)
    assert [label == "root" for label in after.deprels] == [head == 0 for head in after.heads]
    assert sorted(after.deprels) == sorted(before.deprels)


@given(before=labelled_trees(["obj", "nsubj", "punct", "flat:foreign", "cc:preconj"], longest=12))
def test_trees_without_places_come_back_as_they_are(before):
    transformation = joint("+".join(PAPER))
    assert transformation.apply(before) is before
    assert transformation.places(before) == ()


def test_the_identity_scheme_changes_nothing():
    before = tree("in Paris", "2 0", "case root")
    assert JointTransformation([]).apply(before) is before


@pytest.mark.parametrize(
    "specs",
    [
        ("cop:reattach=clause", "aux"),
        ("case", "cop", "cc", "name"),
        ("det", "mwe", "mark", "aux"),
        ("cc", "conj"),
        ("punct:head=root", "mwe", "cc"),
    ],
)
@given(data=st.data())
def test_what_several_do_together_does_not_depend_on_their_order(specs, data):
    before = data.draw(labelled_trees(labels_for("+".join(specs))))
    one, other = (
        JointTransformation([get_transformation(spec) for spec in order]) for order in (specs, specs[::-1])
    )
    assert (other.name, other.spec) == (one.name, one.spec)
    assert other.places(before) == one.places(before)
    assert other.apply(before) == one.apply(before)
    assert other.apply(before, labels="external") == one.apply(before, labels="external")
    assert other.invert(one.apply(before)) == one.invert(one.apply(before))


def test_a_foreign_place_is_refused():
    before = tree("in Paris", "2 0", "case root")
    case = get_transformation("case", Conventions(2))
    assert case.places(before) == (Place(1, "case"),)
    with pytest.raises(InputError, match=r"token 2 is not a place .* its places: case 1"):
        case.apply(before, [Place(2, "case")])
    with pytest.raises(InputError, match=r"token 1 is not a place .* its places: none"):
        case.apply(tree("Paris", "0", "root"), [Place(1, "case")])
    with pytest.raises(InputError, match="`labels='both'` is not accepted"):
        case.apply(before, labels="both")


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("cas", "did you mean 'case'"),
        ("cop:reatach=clause", "did you mean 'reattach'"),
        ("cop:reattach=claus", "did you mean 'clause'"),
        ("cop:clause", "write options as cop:option=value"),
        ("cop:", "write options as cop:option=value"),
        ("cc:style=moscow,style=prague", "has the option style twice"),
        ("case:style=chain", "no option 'style'"),
    ],
)
def test_a_wrong_specification_is_refused_with_the_nearest_name(spec, message):
    with pytest.raises(InputError, match=message) as caught:
        get_transformation(spec, Conventions())
    assert "\n" not in str(caught.value)


def test_a_transformation_is_written_as_it_is_read():
    for spec in ("case", "cop:reattach=clause", "cc:head=first,style=moscow"):
        assert get_transformation(spec, Conventions()).spec == spec
    assert get_transformation("cop:reattach=min", Conventions()).variant == ""
    assert (
        get_transformation("cc:style=moscow,head=first", Conventions()).variant == "head=first,style=moscow"
    )
    with pytest.raises(InputError, match="cop occurs twice"):
        joint("case+cop+cop:reattach=clause")


@pytest.mark.parametrize(
    ("spec", "sentence", "places", "skipped"),
    [
        ("cc", ("a , b", "0 3 1", "root punct conj"), [], {"cc: asyndetic coordination": 1}),
        (
            "cc",
            ("a or b and c", "3 1 0 5 3", "conj cc root cc conj"),
            [4],
            {"cc: second coordination of a word with conjuncts on both sides": 1},
        ),
        ("cc", ("both a and b", "2 0 4 2", "cc:preconj root cc conj"), [3], {}),
        ("cc", ("and a b", "2 0 2", "cc root conj"), [], {"cc: asyndetic coordination": 1}),
        (
            "name+cc",
            ("A B and X C", "0 1 4 1 1", "root flat cc conj flat"),
            [3],
            {"name: chain around a coordination": 1},
        ),
        ("mwe+name", ("A b C d", "0 1 1 1", "root fixed flat fixed"), [4], {}),
        (
            "mwe+name",
            ("A b C d E", "0 1 1 1 1", "root fixed flat fixed flat"),
            [4],
            {"name: chain interleaved with another": 1},
        ),
        (
            "cc",
            ("a , both b", "0 4 4 1", "root punct cc:preconj conj"),
            [],
            {"cc: asyndetic coordination": 1},
        ),
        (
            "cc",
            ("a b and c", "0 4 4 1", "root conj cc conj"),
            [3],
            {"cc: coordinator of another coordination": 1},
        ),
        (
            "cc",
            ("a and b or c d", "0 1 1 3 1 3", "root cc conj cc conj conj"),
            [2],
            {"cc: coordination cut by the one around it": 1},
        ),
        ("name", ("A B C D", "4 4 4 0", "name name name root"), [1, 2], {}),
        ("cop+aux", ("was done", "2 0", "auxpass root"), [1], {}),
        ("conj", ("a , b and c", "0 3 1 5 1", "root punct conj cc conj"), [5], {}),
        ("conj", ("a and b or c", "0 3 1 5 3", "root cc conj cc conj"), [3, 5], {}),
        ("conj", ("a ve b", "3 3 0", "conj cc root"), [], {"conj: headed by the last conjunct already": 1}),
        (
            "conj:direction=left",
            ("a b ve c d", "4 4 4 0 4", "conj conj cc root conj"),
            [1],
            {"conj: headed by the first conjunct already": 1},
        ),
        (
            "cc+conj",
            ("a and b c", "0 3 1 3", "root cc conj conj"),
            [2, 4],
            {"cc: asyndetic coordination": 1, "conj: coordination changed by another construction": 1},
        ),
        ("punct", ("a , b", "0 1 2", "root punct conj"), [], {"punct: mark with dependents": 1}),
        (
            "punct:head=neighbour",
            ("- - a b . )", "3 3 4 0 3 3", "punct punct nsubj root punct punct"),
            [5],
            {},
        ),
        ("name+conj", ("A B , C x", "0 1 1 1 1", "root flat punct flat conj"), [4, 5], {}),
    ],
)
def test_places_and_what_is_skipped(spec, sentence, places, skipped):
    transformation, before = joint(spec), tree(*sentence)
    assert [place.token for place in transformation.places(before)] == places
    assert transformation.plan(before).skipped == skipped


def test_names_follow_the_conventions_of_the_treebank():
    before = tree("A B C", "0 1 1", "root flat flat")
    assert get_transformation("name", Conventions(2)).places(before)
    assert not get_transformation("name", Conventions(2, flat_name=True)).places(before)


@given(before=labelled_trees(["punct", "punct", "conj", "advcl", "obj"], projective=True, longest=9))
def test_marks_hang_as_high_as_they_can(before):
    root, clause = (get_transformation(f"punct:head={where}").apply(before) for where in ("root", "clause"))
    up, size = (0, *before.heads), len(before)
    for mark in range(1, size + 1):
        if before.deprels[mark - 1] != "punct" or not up[mark] or mark in up:
            assert root.heads[mark - 1] == clause.heads[mark - 1] == up[mark]
            continue
        possible = [
            word
            for word in range(1, size + 1)
            if word != mark and is_projective([*before.heads[: mark - 1], word, *before.heads[mark:]])
        ]
        above = [word for word in possible if all(word in path_up(up, other) for other in possible)]
        assert above == [root.heads[mark - 1]]
        assert clause.heads[mark - 1] in set(path_up(up, up[mark])) & set(possible)


def path_up(up, word):
    """The word and those above it."""
    return [word, *path_up(up, up[word])] if word else []
