"""Two annotations of the same sentences, from two treebanks.

Sentences are the same if their words are, in whatever order they stand and whatever split they are in. What
else the other treebank says of a word (tags, lemmas, features) is not looked at: heads and relations are
compared, and everything that a parser sees stays the same.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields, replace

from learnability.errors import InputError
from learnability.treebanks.locate import TreebankFiles
from learnability.treebanks.sentence import Sentence, Tree, Treebank

Heads = tuple[int, ...]

EXAMPLES = 3
"""How many of the sentences that are left out are named."""


@dataclass(frozen=True, slots=True, repr=False)
class ReannotatedTree(Tree):
    """A tree that also has other annotations of its words, each with the name by which it is asked for."""

    annotations: tuple[tuple[str, Heads, tuple[str, ...]], ...] = ()


def annotation(tree: Tree, name: str) -> Tree:
    """The words of the tree in that of its other annotations which has this name; KeyError without it."""
    for own, heads, deprels in tree.annotations if isinstance(tree, ReannotatedTree) else ():
        if own == name:
            return tree.with_heads(heads, deprels)
    raise KeyError(name)


def reannotated(tree: Tree, name: str, other: Tree) -> ReannotatedTree:
    """`tree` that also has the heads and deprels of `other`, by this name."""
    columns = {column.name: getattr(tree, column.name) for column in fields(tree)}
    before = columns.pop("annotations", ())
    return ReannotatedTree(**columns, annotations=(*before, (name, other.heads, other.deprels)))


def with_annotation(
    sentences: Sequence[Sentence], name: str, others: Sequence[Sentence]
) -> tuple[Sentence, ...]:
    """The sentences with trees that also have those of the others, by this name."""
    pairs = zip(sentences, others, strict=True)
    return tuple(replace(own, tree=reannotated(own.tree, name, other.tree)) for own, other in pairs)


def heads_of_annotations(tree: Tree) -> list[Heads]:
    """The heads of the other annotations that a tree has; mostly none."""
    return [heads for _, heads, _ in tree.annotations] if isinstance(tree, ReannotatedTree) else []


def with_heads_of_annotations(tree: Tree, change: Callable[[Heads], Heads]) -> Tree:
    """`tree` with other heads in every other annotation that it has."""
    if not isinstance(tree, ReannotatedTree):
        return tree
    changed = ((name, change(heads), deprels) for name, heads, deprels in tree.annotations)
    return replace(tree, annotations=tuple(changed))


def titles(files: TreebankFiles) -> tuple[str, str]:
    """What tells a treebank and its alternative apart: their kinds and releases, else
    their names, else their roles."""
    assert files.alternative is not None
    both = (files, files.alternative)
    kinds = [own.name.partition("_")[0] if own.name.startswith(("UD_", "SUD_")) else "" for own in both]
    if all(kinds) and all(own.release for own in both):
        kinds = [f"{kind} {own.release}" for kind, own in zip(kinds, both, strict=True)]
    if all(kinds) and kinds[0] != kinds[1]:
        return kinds[0], kinds[1]
    if both[0].name != both[1].name:
        return both[0].name, both[1].name
    return "original", "alternative"


def aligned(folds: Sequence[Treebank], other: Treebank, names: tuple[str, str]) -> tuple[Treebank, ...]:
    """The folds with the sentences that `other` annotates, too, each in both annotations, called by `names`.

    The other sentences are left out; `warnings` of each fold say how many, and which for example. InputError
    where no sentence of a split is left.
    """
    sentences = {id(s): s for fold in folds for _, part in fold.splits() for s in part}
    matches, unused = _matches(list(sentences.values()), [s for _, part in other.splits() for s in part])
    made: dict[int, Sentence] = {}
    for key, match in matches.items():
        tree = sentences[key].tree
        both = reannotated(reannotated(tree, names[0], tree), names[1], match.tree)
        made[key] = replace(sentences[key], tree=both)
    missing = [sentence for key, sentence in sentences.items() if key not in made]
    warnings = _left_out(missing, unused, len(sentences))
    warnings += _other_tags([(sentences[key].tree, match.tree) for key, match in matches.items()], names)

    def kept(fold: Treebank, split: str) -> tuple[Sentence, ...]:
        part = dict(fold.splits())[split]
        both = tuple(made[id(sentence)] for sentence in part if id(sentence) in made)
        if part and not both:
            what = f"of the {counted(len(part))} of {split} none has the words of one of {other.name}"
            raise InputError(f"{fold.name}: {what}; give two annotations of the same sentences")
        return both

    return tuple(
        replace(
            fold,
            train=kept(fold, "train"),
            dev=kept(fold, "dev"),
            test=kept(fold, "test"),
            files={**fold.files, **other.files},
            warnings=(*fold.warnings, *warnings),
        )
        for fold in folds
    )


def counted(sentences: int) -> str:
    """A number of sentences in words."""
    return "1 sentence" if sentences == 1 else f"{sentences:,} sentences"


def _matches(
    sentences: Sequence[Sentence], others: Sequence[Sentence]
) -> tuple[dict[int, Sentence], list[Sentence]]:
    """By `id` of each sentence the other one with its words: that with its sent_id, else the next of them in
    order (not where every word is ``_``, of which nothing is known); and those that are left."""
    waiting: defaultdict[tuple[str, ...], deque[Sentence]] = defaultdict(deque)
    for other in others:
        waiting[other.tree.forms].append(other)
    matches: dict[int, Sentence] = {}
    for same_id in (True, False):
        for sentence in sentences:
            queue = waiting[sentence.tree.forms] if same_id or set(sentence.tree.forms) != {"_"} else deque()
            match = next((o for o in queue if not same_id or o.sent_id == sentence.sent_id != ""), None)
            if id(sentence) not in matches and match is not None:
                matches[id(sentence)] = match
                queue.remove(match)
    used = set(map(id, matches.values()))
    return matches, [other for other in others if id(other) not in used]


def _left_out(missing: Sequence[Sentence], unused: Sequence[Sentence], every: int) -> list[str]:
    """Lines on the sentences, of so many, that the other treebank does not have, and on those that it alone
    has (`unused`). A sentence of which both have the sent_id has other words, and is told of once."""
    here, there = ({s.sent_id for s in own if s.sent_id} for own in (missing, unused))
    changed = [sentence for sentence in missing if sentence.sent_id in there]
    alone = [sentence for sentence in missing if sentence.sent_id not in there]
    lines = []
    for left, why in ((changed, "with other words in"), (alone, "not in")):
        if left:
            named = ", ".join(s.sent_id or f"line {s.line}" for s in left[:EXAMPLES])
            more = ", ..." if len(left) > EXAMPLES else ""
            what = f"{len(left):,} of {every:,} sentences {why} the alternative"
            lines.append(f"{what}: left out ({named}{more})")
    if more_there := sum(sentence.sent_id not in here for sentence in unused):
        lines.append(f"{counted(more_there)} of the alternative not in the treebank: left out")
    return lines


def _other_tags(pairs: Iterable[tuple[Tree, Tree]], names: tuple[str, str]) -> list[str]:
    """A line on tokens with other UPOS: they are not compared."""
    same = [a == b for one, two in pairs for a, b in zip(one.upos, two.upos, strict=True)]
    if all(same):
        return []
    share = f"{same.count(False):,} of {len(same):,} tokens have another UPOS tag in {names[1]}"
    return [f"{share}; not compared: both parsers see the tags of {names[0]}"]
