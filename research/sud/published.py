"""How far the scheme `sud` gives the trees of a published SUD treebank, and what differs.

    python research/sud/published.py UD_TREEBANK SUD_FILE [GROUPS]

UD_TREEBANK is a name or a folder, SUD_FILE one file with the same words. Printed: by scheme (`sud-like` and
`sud`), with and without punctuation, the share of words with the head of the published tree, with its
relation (without what follows an @), with both, and with the whole relation; then the largest groups of
words with another head or relation, by the relation of UD and that of SUD, each with a sentence.
"""

from __future__ import annotations

import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

from learnability.schemes import get_scheme
from learnability.treebanks.conllu_io import read_conllu
from learnability.treebanks.sentence import Sentence, Tree, Treebank
from learnability.treebanks.splits import load_treebank

SCHEMES = (str(Path(__file__).parents[1] / "kinds_of_parsers" / "sud-like.toml"), "sud")
MEASURES = ("head", "relation", "both", "extension")


def pairs_of(treebank: Treebank, file: str) -> list[tuple[Sentence, Tree]]:
    """Return each sentence of UD with its published SUD tree."""
    published = {sentence.sent_id: sentence.tree for sentence in read_conllu(file).sentences}
    sentences = [sentence for _, split in treebank.splits() for sentence in split]
    pairs = [(one, published[one.sent_id]) for one in sentences if one.sent_id in published]
    if any(one.tree.forms != other.forms for one, other in pairs):
        raise SystemExit(f"{file} has other words than {treebank.name}; name the SUD version of the treebank")
    return pairs


def without_extension(relation: str) -> str:
    """Return a relation of SUD without what follows an @."""
    return relation.partition("@")[0]


def agreements(ours: Tree, theirs: Tree) -> Iterator[tuple[int, dict[str, bool]]]:
    """Yield each token with what is the same."""
    for token in range(1, len(ours) + 1):
        head = ours.heads[token - 1] == theirs.heads[token - 1]
        own, published = ours.deprels[token - 1], theirs.deprels[token - 1]
        relation = without_extension(own) == without_extension(published)
        yield (
            token,
            {
                "head": head,
                "relation": relation,
                "both": head and relation,
                "extension": own == published,
            },
        )


def compare(treebank: Treebank, pairs: list[tuple[Sentence, Tree]], most: int) -> None:
    """Print the shares, and the largest groups of what differs."""
    print(f"{treebank.name} {treebank.release}: {len(pairs):,} sentences")
    groups: Counter[tuple[str, str, str]] = Counter()
    examples: dict[tuple[str, str, str], str] = defaultdict(str)
    for name in SCHEMES:
        scheme, counts = get_scheme(name, treebank), Counter[tuple[bool, str]]()
        for sentence, theirs in pairs:
            ours = scheme.apply(sentence.tree)
            for token, same in agreements(ours, theirs):
                is_word = sentence.tree.deprels[token - 1] != "punct"
                counts[is_word, "all"] += 1
                counts.update((is_word, measure) for measure in MEASURES if same[measure])
                if name != "sud" or same["both"]:
                    continue
                kind = "relation" if same["head"] else "head"
                group = kind, sentence.tree.deprels[token - 1], theirs.deprels[token - 1]
                groups[group] += 1
                examples[group] = examples[group] or f"{sentence.sent_id}:{token} {ours.forms[token - 1]}"
        for title, kinds in (("all words", (True, False)), ("without punctuation", (True,))):
            total = sum(counts[kind, "all"] for kind in kinds)
            shares = (100 * sum(counts[kind, one] for kind in kinds) / total for one in MEASURES)
            print(f"{scheme.name}, {title} ({total:,}):", *map("{} {:.2f}".format, MEASURES, shares))
    for (kind, relation, published), count in groups.most_common(most):
        print(f"{count:5}  {kind:8}  {relation} -> {published}  {examples[kind, relation, published]}")


def main(arguments: list[str]) -> None:
    """Compare a treebank with its published SUD version."""
    treebank = load_treebank(arguments[0])
    compare(treebank, pairs_of(treebank, arguments[1]), int(arguments[2]) if len(arguments) > 2 else 40)


if __name__ == "__main__":
    main(sys.argv[1:])
