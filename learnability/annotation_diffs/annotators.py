"""Compare more than two annotations of the same sentences, each with each, or those of one file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from learnability.annotation_diffs.annotation_diff import AnnotationDiff, NoCommonSentence, compare_versions
from learnability.annotation_diffs.version import Version
from learnability.errors import InputError, meant
from learnability.support.nouns import count_noun
from learnability.treebanks.sentence import Sentence


@dataclass(frozen=True)
class Annotators:
    """Choose by which comment the sentences of a version are divided among annotators.

    Attributes:
        key: of the comment, such as ``user_id``.
        names: the annotators to compare; all if empty.
    """

    key: str
    names: tuple[str, ...] = ()

    @classmethod
    def parse(cls, text: str) -> Annotators:
        """Return what is typed: ``user_id``, or ``user_id=ann1,ann2``.

        Raises:
            InputError: it names no comment.
        """
        key, _, names = text.partition("=")
        if not key.strip():
            raise InputError(f"`by={text!r}` names no comment; use its key, for example user_id")
        return cls(key.strip(), tuple(name.strip() for name in names.split(",") if name.strip()))

    def divide(self, version: Version) -> list[Version]:
        """Return a version for each annotator, in the order in which they come first.

        Raises:
            InputError: fewer than two have sentences, one that is named has none, or a sentence has several.
        """
        places: dict[str, list[int]] = {}
        without = 0
        for place, sentence in enumerate(version.sentences):
            value, *others = dict.fromkeys(comments_of(sentence, self.key)) or ("",)
            if others:
                where = f"{version.name}: sentence {sentence.name or f'in line {sentence.line}'}"
                several = ", ".join((value, *others))
                raise InputError(f"{where} has several # {self.key} ({several}); give it one")
            if value:
                places.setdefault(value, []).append(place)
            else:
                without += 1
        for name in self.names:
            if name not in places:
                raise InputError(
                    f"{version.name}: no sentence has # {self.key} = {name}; {meant(name, sorted(places))}"
                )
        chosen = tuple(dict.fromkeys(self.names)) or tuple(places)
        if len(chosen) < 2:
            found = f"only {chosen[0]}" if chosen else "no annotator"
            raise InputError(
                f"{version.name}: # {self.key} names {found}; use a file with sentences of several"
            )
        warnings = version.warnings
        if without:
            of_all = f"{without} of {count_noun(len(version), 'sentence')} of {version.name}"
            warnings = (*warnings, f"{of_all} left out, because they have no # {self.key}")
        return [
            replace(
                version,
                name=name,
                sentences=tuple(version.sentences[place] for place in places[name]),
                sets=("",) * len(places[name]),
                warnings=warnings,
                digests=(),
            )
            for name in chosen
        ]


def comments_of(sentence: Sentence, key: str) -> list[str]:
    """Return the values of the comments with this key."""
    pairs = [line[1:].partition("=") for line in sentence.lines if line.startswith("#")]
    return [value.strip() for found, _, value in pairs if found.strip() == key and value.strip()]


def compare_all(
    versions: Sequence[Version], ignored_comment: str = ""
) -> tuple[list[AnnotationDiff], list[str]]:
    """Return what differs between every two versions, and a line on every two without a common sentence.

    Annotators often share only a part of their sentences, and some of them none.

    Args:
        versions: two or more.
        ignored_comment: the key of a comment that is not compared.

    Raises:
        NoCommonSentence: no two versions have a sentence in common.
    """
    found, apart = [], []
    for pair in combinations(versions, 2):
        try:
            found.append(compare_versions(*pair, ignored_comment=ignored_comment))
        except NoCommonSentence as error:
            apart.append(error)
    if not found:
        raise apart[0]
    return found, [f"{error.problem.rpartition('; ')[0]}, so they are not compared" for error in apart]
