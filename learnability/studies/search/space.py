"""What a search chooses between: per construction UD or one of its variants, and then single lemmas."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product

from learnability.comparing.annotation import Annotation
from learnability.comparing.condition import transformed_of
from learnability.comparing.fold import Fold
from learnability.comparing.kinds.ud import UD
from learnability.comparing.names import annotation_typed, scheme_named
from learnability.errors import InputError
from learnability.metrics.scores import FEWEST_SITES
from learnability.transforms.base import Rule, Transformation
from learnability.transforms.registry import PAPER, get_transformation
from learnability.transforms.restriction import IN_TREES, Restriction, restricted

MOST_LEMMAS = 12
"""So many lemmas of a construction are tried at most, the most frequent."""


@dataclass(frozen=True)
class Choice:
    """A variant of a transformation with enough sites in the training part. `lemmas`: of the words at its
    sites, with the number of sites, the most frequent first; none where the treebank has none, or where the
    variant is restricted already."""

    spec: str
    sites: int
    lemmas: tuple[tuple[str, int], ...] = ()

    @property
    def construction(self) -> str:
        """The name of the transformation, of which a scheme has one variant."""
        return self.spec.partition(":")[0]


@dataclass(frozen=True)
class Space:
    """The choices of a search, those that are left out with the reason, and what the short trainings need to
    know of the treebank: its training sentences."""

    choices: tuple[Choice, ...]
    left_out: tuple[tuple[str, str], ...]
    sentences: int
    has_lemmas: bool = True

    @property
    def constructions(self) -> dict[str, tuple[Choice, ...]]:
        """The choices by construction."""
        names = dict.fromkeys(choice.construction for choice in self.choices)
        return {name: tuple(c for c in self.choices if c.construction == name) for name in names}

    @cached_property
    def candidates(self) -> tuple[Annotation, ...]:
        """Every combination of the choices, UD first, then the single ones, in the order of the choices."""
        place = {choice: i for i, choice in enumerate(self.choices)}
        options = [(None, *choices) for choices in self.constructions.values()]
        every = ([choice for choice in chosen if choice is not None] for chosen in product(*options))
        ordered = sorted(every, key=lambda chosen: (len(chosen), [place[choice] for choice in chosen]))
        return tuple(together([choice.spec for choice in chosen]) for chosen in ordered)

    def first_choices(self) -> tuple[Annotation, ...]:
        """The first variant of each construction."""
        return tuple(annotation_typed(choices[0].spec) for choices in self.constructions.values())


def together(specs: Sequence[str]) -> Annotation:
    """The annotation that these transformations give together: UD without any."""
    if not specs:
        return UD
    return annotation_typed(specs[0]) if len(specs) == 1 else scheme_named("+".join(specs))


def specs_of(annotation: Annotation) -> tuple[str, ...]:
    """The transformations of an annotation that :func:`together` gave."""
    return tuple(part.spec for part in annotation.parts)


def space_of(fold: Fold) -> Space:
    """What a search of this treebank chooses between: of the conditions of its options those with at least
    `FEWEST_SITES` sites in the training part that do not give it the same trees as an earlier one.

    Raises:
        InputError: no condition is left.
    """
    choices: list[Choice] = []
    left_out: list[tuple[str, str]] = []
    given: dict[tuple[object, ...], str] = {}
    for annotation in transformed_of(fold.options):
        rule, change, spec = fold.rule(annotation), fold.change(annotation), annotation.spelling
        sites = sum(len(rule.sites(tree)) for tree in fold.ud.train)
        if sites < FEWEST_SITES:
            left_out.append((spec, f"fewer than {FEWEST_SITES} sites: {sites}"))
            continue
        heads = tuple(change(tree).heads for tree in fold.ud.train)
        if (same := given.setdefault((rule.parts[0].name, heads), spec)) != spec:
            left_out.append((spec, f"gives the same trees as {same}"))
            continue
        choices.append(Choice(spec, sites, _lemmas(fold, rule)))
    if not choices:
        names = ", ".join(spec for spec, _ in left_out)
        raise InputError(
            f"{fold.treebank.name}: no transformation with {FEWEST_SITES} sites to search among ({names}); "
            "give others with --transform, or another treebank"
        )
    return Space(tuple(choices), tuple(left_out), len(fold.ud.train), _has_lemmas(fold))


def _has_lemmas(fold: Fold) -> bool:
    return any(
        IN_TREES["lemma"](tree, t) for tree in fold.ud.train if tree.lemmas for t in range(1, len(tree) + 1)
    )


def _lemmas(fold: Fold, rule: Transformation) -> tuple[tuple[str, int], ...]:
    """See :class:`Choice`; those that cannot be written after `lemma=` are left out."""
    if any(part.restriction for part in rule.parts):
        return ()
    lemma_of = IN_TREES["lemma"]
    counts = Counter(
        lemma
        for tree in fold.ud.train
        if tree.lemmas
        for site in rule.sites(tree)
        for lemma in lemma_of(tree, site.token)
    )
    ranked = sorted(counts.items(), key=lambda own: (-own[1], own[0]))
    return tuple((lemma, n) for lemma, n in ranked if n >= FEWEST_SITES and _can_be_written(rule, lemma))


def _can_be_written(rule: Transformation, lemma: str) -> bool:
    """Whether the restriction to the lemma is read back as it is, alone and beside another transformation."""
    (part,) = rule.parts
    wanted = Restriction(lemma=[lemma])
    written = restricted(part, wanted).spec
    other = next(name for name in PAPER if name != part.name)
    try:
        beside = (f"{written}+{other}", f"{other}+{written}")
        read = [annotation_typed(written), *map(scheme_named, beside)]
        own = [rule for one in read for rule in one.parts if rule.name == part.name]
        return [one.restriction for one in own] == [wanted] * 3
    except InputError:
        return False


def with_lemmas(spec: str, lemmas: Iterable[str], *, excluded: bool) -> str:
    """The transformation at these lemmas only, or at all but these."""
    rule: Rule = get_transformation(spec)
    name = "lemma!" if excluded else "lemma"
    return restricted(rule, Restriction(**{name: sorted(lemmas)})).spec


@dataclass(frozen=True)
class Variation:
    """One lemma of a construction annotated otherwise than in the scheme that is varied: as in UD, if the
    scheme has the variant `choice` (`excluded`), else by this variant."""

    choice: Choice
    lemma: str
    excluded: bool

    def __str__(self) -> str:
        return with_lemmas(self.choice.spec, [self.lemma], excluded=self.excluded)


def variations(space: Space, specs: Sequence[str]) -> Iterator[Variation]:
    """What can be varied in the scheme of these transformations: in each construction the most frequent
    lemmas, but none that has nearly all sites of a transformation."""
    for choices in space.constructions.values():
        chosen = next((choice for choice in choices if choice.spec in specs), None)
        choice = chosen or choices[0]
        for lemma, sites in choice.lemmas[:MOST_LEMMAS]:
            if choice.sites - sites >= FEWEST_SITES:
                yield Variation(choice, lemma, chosen is not None)


def varied(specs: Sequence[str], chosen: Iterable[Variation]) -> Annotation:
    """The scheme of these transformations with all of these variations."""
    lemmas: dict[tuple[str, bool], list[str]] = {}
    for variation in chosen:
        lemmas.setdefault((variation.choice.spec, variation.excluded), []).append(variation.lemma)
    changed: Mapping[str, str] = {
        spec: with_lemmas(spec, own, excluded=True) for (spec, excluded), own in lemmas.items() if excluded
    }
    added = [with_lemmas(spec, own, excluded=False) for (spec, ex), own in lemmas.items() if not ex]
    return together([*(changed.get(spec, spec) for spec in specs), *added])
