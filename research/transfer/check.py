"""Build the training file of a target and score phrases, with nothing of the program.

    python research/transfer/check.py build UD_Tamil-TTB ud-treebanks-v2.16 OUT [--draw 1] [--words 1500]
    learnability train OUT/train.conllu --dev OUT/dev.conllu --tags only --features zn11 --seed 1 -m MODEL
    learnability parse -m MODEL OUT/test.conllu -o PARSES
    python research/transfer/check.py score OUT/test.conllu PARSES [--records RUN/records.jsonl]
    python research/transfer/check.py copulas OUT/test.conllu PARSES-OF-UD PARSES-OF-COP

`build` takes the largest treebank of each language below the folder, leaves out the family of the target, and
draws about as many words of each. `score` prints the percentage of phrases that parses attach to the right
phrase; for an alternative, add its `--transform` to `train`. With records it also prints how many sentences
have the same count of right phrases there. `copulas` prints how much of the difference between two parses is
at the predicates of copulas and what depends on them.
"""

from __future__ import annotations

import argparse
import json
import re
import zlib
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

import conllu
import numpy as np
from conllu.models import TokenList

FAMILIES = {
    "Germanic": "English Swedish Faroese Low_Saxon",
    "Celtic": "Irish Welsh Breton Manx Scottish_Gaelic",
    "Romance": "French Italian",
    "Slavic": "Belarusian Old_East_Slavic Serbian Slovak Ukrainian Upper_Sorbian",
    "Baltic": "Lithuanian",
    "Hellenic": "Greek Ancient_Greek",
    "Indo-Iranian": "Bhojpuri Kurmanji Marathi Sanskrit",
    "Afro-Asiatic": "Amharic Hausa",
    "Turkic": "Kazakh Kyrgyz Ottoman_Turkish Tatar Turkish Yakut",
    "Uralic": "Erzya Finnish Komi_Zyrian North_Sami Estonian Hungarian",
    "Dravidian": "Tamil Telugu",
    "Sino-Tibetan": "Cantonese Chinese",
    "Austronesian": "Indonesian Tagalog",
    "Tupian": "Mbya_Guarani Nheengatu",
}
"""The languages that share a family with another one here, written down by hand."""

INSIDE = {"case", "det", "mark", "cop", "aux", "auxpass", "flat", "name", "fixed", "mwe", "goeswith"}
"""The relations of words that belong to the phrase of their head, without subtypes."""


def main() -> None:
    """Build or score."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True)
    build = commands.add_parser("build")
    build.add_argument("target")
    build.add_argument("release", type=Path)
    build.add_argument("out", type=Path)
    build.add_argument("--draw", type=int, default=1)
    build.add_argument("--words", type=int, default=1_500)
    score = commands.add_parser("score")
    score.add_argument("gold", type=Path)
    score.add_argument("parses", type=Path)
    score.add_argument("--records", type=Path)
    score.add_argument("--setting", default="a//1/0", help="of the record: a//1/0, b/case/1/0, ...")
    copulas = commands.add_parser("copulas")
    copulas.add_argument("files", type=Path, nargs=3)
    arguments = parser.parse_args()
    if arguments.command == "copulas":
        print_copulas(*arguments.files)
    elif arguments.command == "build":
        build_files(arguments.target, arguments.release, arguments.out, arguments.draw, arguments.words)
    else:
        print_score(arguments.gold, arguments.parses, arguments.records, arguments.setting)


def family(treebank: str) -> str:
    """Return the family of the language of a treebank; a language that is alone is its own family."""
    language = treebank.removeprefix("UD_").partition("-")[0]
    return next((name for name, members in FAMILIES.items() if language in members.split()), language)


def build_files(target: str, release: Path, out: Path, draw: int, words: int) -> None:
    """Write what a parser learns from, what it stops by, and what it is tested on."""
    largest: dict[str, Path] = {}
    for folder in sorted(release.iterdir()):
        language = folder.name.partition("-")[0]
        if language not in largest or size(folder) > size(largest[language]):
            largest[language] = folder
    learned: list[TokenList] = []
    held_out: list[TokenList] = []
    sources = [folder for folder in largest.values() if family(folder.name) != family(target)]
    for folder in sorted(sources, key=lambda folder: folder.name):
        sentences = read(folder)
        seeds = [draw, zlib.crc32(target.encode()), zlib.crc32(folder.name.encode())]
        order = np.random.default_rng(seeds).permutation(len(sentences))
        drawn = [sentences[number] for number in order]
        kept = int(np.ceil(len(drawn) / 11))
        learned += cut(drawn[:-kept], words)
        held_out += cut(drawn[-kept:], words // 10)
    out.mkdir(parents=True, exist_ok=True)
    for name, part in (("train", learned), ("dev", held_out), ("test", read(release / target))):
        text = "".join(sentence.serialize() for sentence in part)
        (out / f"{name}.conllu").write_text(text, encoding="utf-8")
        print(f"{name}: {len(part):,} sentences, {sum(map(count, part)):,} words")
    print(f"{len(sources)} sources, without the family {family(target)}")


def size(folder: Path) -> int:
    """Return the bytes of the files of a treebank."""
    return sum(path.stat().st_size for path in folder.glob("*.conllu"))


def read(folder: Path) -> list[TokenList]:
    """Return the sentences of a treebank: its training, development and test sets."""
    found: list[TokenList] = []
    for part in ("train", "dev", "test"):
        for path in sorted(folder.glob(f"*{part}*.conllu")):
            with path.open(encoding="utf-8") as file:
                found += conllu.parse_incr(file)
    return found


def count(sentence: TokenList) -> int:
    """Return the words of a sentence."""
    return sum(isinstance(token["id"], int) for token in sentence)


def cut(sentences: Sequence[TokenList], words: int) -> list[TokenList]:
    """Return the first sentences that have together as nearly as possible this many words."""
    best, taken, total = abs(words - count(sentences[0])), 1, 0
    for number, sentence in enumerate(sentences, start=1):
        total += count(sentence)
        if abs(words - total) < best:
            best, taken = abs(words - total), number
    return list(sentences[:taken])


def print_score(gold: Path, parses: Path, records: Path | None, setting: str) -> None:
    """Print the percentage of right phrases, and how many sentences agree with a record."""
    counts = [right_phrases(*pair) for pair in zip(read_heads(gold), read_heads(parses), strict=True)]
    right, total = np.array(counts).sum(axis=0)
    print(f"{100 * right / total:.4f} % of {total:,} phrases")
    if records:
        for line in records.read_text(encoding="utf-8").splitlines():
            record = json.loads(line)
            if re.fullmatch(rf"[^/]+/{re.escape(setting)}(/parser=arc-eager)?", record["key"]):
                known = record["result"]["scores"]["uas"]["phrases"]
                same = sum(one == other for (one, _), other in zip(counts, known, strict=True))
                print(f"{same:,} of {len(known):,} sentences as in {record['key']}")


Heads = tuple[list[int], list[str]]


def read_heads(path: Path) -> Iterable[Heads]:
    """Yield the heads and relations of the words of each sentence."""
    with path.open(encoding="utf-8") as file:
        for sentence in conllu.parse_incr(file):
            words = [token for token in sentence if isinstance(token["id"], int)]
            yield [word["head"] for word in words], [word["deprel"] for word in words]


def phrase_of(gold: Heads, word: int) -> int:
    """Return the content word of the phrase of a word; 0 for the root."""
    heads, relations = gold
    while word and heads[word - 1] and universal(relations[word - 1]) in INSIDE:
        word = heads[word - 1]
    return word


def head_phrase(gold: Heads, phrase: int, heads: Sequence[int]) -> int:
    """Return the phrase to which heads attach a phrase."""
    word = phrase
    while word and phrase_of(gold, word) == phrase:
        word = heads[word - 1]
    return phrase_of(gold, word)


def universal(relation: str) -> str:
    """Return a relation without its subtype."""
    return relation.split(":")[0]


def right_phrases(gold: Heads, parse: Heads) -> tuple[int, int]:
    """Return how many phrases of a sentence a parse attaches to the right phrase, and how many there are."""
    phrases = {phrase_of(gold, word) for word in range(1, len(gold[0]) + 1)}
    right = sum(head_phrase(gold, each, gold[0]) == head_phrase(gold, each, parse[0]) for each in phrases)
    return right, len(phrases)


COPULAR = "copular clauses whose predicate UD's parse attaches to a phrase that depends on it"
PLACES = (COPULAR, "other copular clauses", "clauses with an auxiliary", "elsewhere")
"""Where phrases are: a predicate, and what depends on it."""


def print_copulas(gold: Path, *parses: Path) -> None:
    """Print where two parses differ in right phrases, in points of all phrases."""
    phrases, leads = Counter[str](), Counter[str]()
    for sentence, of_ud, of_cop in zip(*map(read_heads, (gold, *parses)), strict=True):
        for phrase, place in find_places(sentence, of_ud).items():
            right = head_phrase(sentence, phrase, sentence[0])
            phrases[place] += 1
            leads[place] += head_phrase(sentence, phrase, of_ud[0]) == right
            leads[place] -= head_phrase(sentence, phrase, of_cop[0]) == right
    for place in PLACES:
        points = 100 * leads[place] / phrases.total()
        print(f"{place}: {phrases[place]:,} of {phrases.total():,} phrases, UD {points:+.2f}")


def find_places(gold: Heads, of_ud: Heads) -> dict[int, str]:
    """Return where each phrase of a sentence is, by its content word."""
    heads, relations = gold
    words = range(1, len(heads) + 1)
    above = {phrase: head_phrase(gold, phrase, heads) for phrase in {phrase_of(gold, word) for word in words}}
    predicates: dict[str, set[int]] = {"cop": set(), "aux": set()}
    for word in words:
        if (relation := universal(relations[word - 1])) in predicates:
            predicates[relation].add(phrase_of(gold, word))
    places = {}
    for phrase, head in above.items():
        copular = [each for each in (phrase, head) if each in predicates["cop"]]
        if any(above.get(head_phrase(gold, each, of_ud[0])) == each for each in copular):
            places[phrase] = COPULAR
        elif copular:
            places[phrase] = PLACES[1]
        else:
            places[phrase] = PLACES[2 if {phrase, head} & predicates["aux"] else 3]
    return places


if __name__ == "__main__":
    main()
