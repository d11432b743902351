"""Align two treebanks that annotate the same sentences.

Two sentences are the same if they have the same words. Their place in the files does not matter. Only heads
and relations are compared. The tags, lemmas and features of the other treebank are ignored, so everything
that a parser sees stays the same.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass, fields, replace

from learnability.errors import InputError
from learnability.support.nouns import choose_verb, count_noun
from learnability.treebanks.locate import TreebankFiles
from learnability.treebanks.sentence import Sentence, Tree, Treebank, mark_documents, number_documents

Heads = tuple[int, ...]

Tags = tuple[tuple[str, ...], ...]
"""UPOS, XPOS and FEATS of each word; empty if they are those of the treebank."""

TAGS = ("upos", "xpos", "feats")
"""The columns of tags in a tree."""

EXAMPLES = 3
"""How many of the left-out sentences are named."""


@dataclass(frozen=True, slots=True, repr=False)
class ReannotatedTree(Tree):
    """Represent a tree that also has other annotations of its words, each with a name."""

    annotations: tuple[tuple[str, Heads, tuple[str, ...], Tags], ...] = ()

    def with_heads(self, heads: Sequence[int], deprels: Sequence[str] | None = None) -> Tree:
        """Return the same tokens, with their other annotations, with other heads."""
        names = self.deprels if deprels is None else tuple(deprels)
        return replace(self, heads=tuple(heads), deprels=names)


def annotation(tree: Tree, name: str) -> Tree:
    """Return the words of the tree in its other annotation of this name; KeyError if it has none."""
    if isinstance(tree, ReannotatedTree):
        for known, heads, deprels, tags in tree.annotations:
            if known == name:
                other = tree.with_heads(heads, deprels)
                if not tags:
                    return other
                upos, xpos, feats = tags
                return replace(other, upos=upos, xpos=xpos, feats=feats)
    raise KeyError(name)


def add_annotation(tree: Tree, name: str, other: Tree, *, with_tags: bool = False) -> ReannotatedTree:
    """Return `tree` that also has the heads and deprels of `other`, by this name, and its tags if asked."""
    columns = {column.name: getattr(tree, column.name) for column in fields(tree)}
    before = columns.pop("annotations", ())
    tags: Tags = tuple(getattr(other, column) for column in TAGS) if with_tags else ()
    if tags == tuple(columns[column] for column in TAGS):
        tags = ()  # columns that are shared are encoded once
    return ReannotatedTree(**columns, annotations=(*before, (name, other.heads, other.deprels, tags)))


def with_annotation(
    sentences: Sequence[Sentence], name: str, others: Sequence[Sentence]
) -> tuple[Sentence, ...]:
    """Return the sentences with trees that also have the annotation of the others, which have the same
    words."""
    return tuple(
        replace(sentence, tree=add_annotation(sentence.tree, name, other.tree, with_tags=True))
        for sentence, other in zip(sentences, others, strict=True)
    )


def titles(files: TreebankFiles) -> tuple[str, str]:
    """Return names that tell a treebank and its alternative apart: kinds and releases, names, or roles."""
    assert files.alternative is not None
    both = (files, files.alternative)
    kinds = [
        treebank.name.partition("_")[0] if treebank.name.startswith(("UD_", "SUD_", "mSUD_")) else ""
        for treebank in both
    ]
    if all(kinds) and all(treebank.release for treebank in both):
        kinds = [f"{kind} {treebank.release}" for kind, treebank in zip(kinds, both, strict=True)]
    if all(kinds) and kinds[0] != kinds[1]:
        return kinds[0], kinds[1]
    if both[0].name != both[1].name:
        return both[0].name, both[1].name
    return "base", "alternative"


def align_treebank(
    treebank: Treebank, other: Treebank, names: tuple[str, str], *, keeps_sets: bool = True
) -> Treebank:
    """Return the treebank with only those sentences that `other` annotates too, each in both annotations.

    The `warnings` say how many are left out. InputError if none is left, of a set or of all.
    """
    sentences = [sentence for _, part in treebank.splits() for sentence in part]
    matches, unused = matching_sentences(sentences, [s for _, part in other.splits() for s in part])
    missing = [sentence for sentence in sentences if id(sentence) not in matches]
    known = {
        sentence.tree.forms
        for sentence in sentences
        if id(sentence) in matches and not all(sentence.tree.find_withheld())
    }
    warnings = [*other.warnings, *_left_out(missing, unused, known, len(sentences))]
    pairs = [(sentence.tree, matches[id(sentence)].tree) for sentence in sentences if id(sentence) in matches]
    warnings += _other_tags(pairs, names)

    def kept(split: str, part: Sequence[Sentence]) -> tuple[Sentence, ...]:
        places = [place for place, sentence in enumerate(part) if id(sentence) in matches]
        if part and not places and keeps_sets:
            raise _no_match(treebank, len(part), f" in {split}", other)
        numbers = number_documents(part)
        in_both = mark_documents((part[place] for place in places), (numbers[place] for place in places))
        aligned = []
        for sentence, place in zip(in_both, places, strict=True):
            tree = add_annotation(sentence.tree, names[0], sentence.tree)
            tree = add_annotation(tree, names[1], matches[id(part[place])].tree)
            aligned.append(replace(sentence, tree=tree))
        return tuple(aligned)

    train, dev, test = (kept(split, part) for split, part in treebank.splits())
    if not (train or dev or test):
        raise _no_match(treebank, len(sentences), "", other)
    return replace(
        treebank,
        train=train,
        dev=dev,
        test=test,
        files={**treebank.files, **other.files},
        warnings=(*treebank.warnings, *warnings),
    )


def _no_match(treebank: Treebank, sentences: int, where: str, other: Treebank) -> InputError:
    problem = (
        f"none of the {count_noun(sentences, 'sentence')}{where} has the same words as one in {other.name}"
    )
    return InputError(
        f"{treebank.name} cannot be aligned: {problem}; choose two annotations of the same sentences"
    )


def matching_sentences(
    sentences: Sequence[Sentence], others: Sequence[Sentence]
) -> tuple[dict[int, Sentence], list[Sentence]]:
    """Return, by the `id` of each sentence, the other sentence with the same words; and those left over.

    Among several, the one with the same sent_id is chosen, otherwise the next in order. Sentences in which
    every word is withheld match only by sent_id, because their words are unknown.
    """
    by_id: defaultdict[tuple[tuple[str, ...], str], deque[Sentence]] = defaultdict(deque)
    for other in others:
        if other.known_id:
            by_id[other.tree.forms, other.known_id].append(other)
    matches: dict[int, Sentence] = {}
    for sentence in sentences:
        same_id = by_id.get((sentence.tree.forms, sentence.known_id))
        if same_id and id(sentence) not in matches:
            matches[id(sentence)] = same_id.popleft()
    taken = set(map(id, matches.values()))
    waiting: defaultdict[tuple[str, ...], deque[Sentence]] = defaultdict(deque)
    for other in others:
        if id(other) not in taken:
            waiting[other.tree.forms].append(other)
    for sentence in sentences:
        queue = waiting.get(sentence.tree.forms)
        if queue and id(sentence) not in matches and not all(sentence.tree.find_withheld()):
            matches[id(sentence)] = queue.popleft()
    used = set(map(id, matches.values()))
    return matches, [other for other in others if id(other) not in used]


def _left_out(
    missing: Sequence[Sentence], unused: Sequence[Sentence], known: Set[tuple[str, ...]], total: int
) -> list[str]:
    """Return lines about the sentences that only one of the two treebanks has, or has more often.

    Those whose words are `known` are further copies of sentences that both have. If both have a sentence with
    the same sent_id but other words, it is mentioned once.
    """
    copies = [sentence for sentence in missing if sentence.tree.forms in known]
    missing = [sentence for sentence in missing if sentence.tree.forms not in known]
    copies_there = [sentence for sentence in unused if sentence.tree.forms in known]
    unused = [sentence for sentence in unused if sentence.tree.forms not in known]
    ids_here = {sentence.known_id for sentence in missing if sentence.known_id}
    ids_there = {sentence.known_id for sentence in unused if sentence.known_id}
    changed = [sentence for sentence in missing if sentence.known_id in ids_there]
    alone = [sentence for sentence in missing if sentence.known_id not in ids_there]
    lines = []
    for group, reason in (
        (changed, "with other words in the alternative"),
        (alone, "that the alternative does not have"),
        (copies, "whose words the alternative has less often"),
    ):
        if group:
            examples = ", ".join(sentence.name or f"line {sentence.line}" for sentence in group[:EXAMPLES])
            more = ", ..." if len(group) > EXAMPLES else ""
            lines.append(
                f"left out {count_noun(len(group), 'sentence')} (of {total:,}) {reason} ({examples}{more})"
            )
    if more_there := sum(sentence.known_id not in ids_here for sentence in unused):
        lines.append(
            f"left out {count_noun(more_there, 'sentence')} of the alternative that the treebank does not "
            "have"
        )
    if copies_there:
        lines.append(
            f"left out {count_noun(len(copies_there), 'sentence')} of the alternative whose words the "
            "treebank has less often"
        )
    return lines


def _other_tags(pairs: Iterable[tuple[Tree, Tree]], names: tuple[str, str]) -> list[str]:
    total = different = 0
    for tree, other in pairs:
        total += len(tree)
        different += sum(tag != other_tag for tag, other_tag in zip(tree.upos, other.upos, strict=True))
    if not different:
        return []
    have = choose_verb(different, "has", "have")
    share = f"{different:,} of {count_noun(total, 'token')} {have} another UPOS tag in {names[1]}"
    return [f"{share}; tags are not compared: both parsers see those of {names[0]}"]
