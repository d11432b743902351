"""Find the treebanks of one language that are compared, and read them together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace

from learnability.extending import (
    InputError,
    Treebank,
    TreebankFiles,
    TreebankSelection,
    Version,
)
from learnability.extensions.harmonise.cross_parses import (
    ComparedTreebank,
    TrainingSettings,
    check_treebanks,
)


@dataclass(frozen=True)
class LanguageSelection(TreebankSelection):
    """Hold the names of treebanks of one language: the first, and the others."""

    others: tuple[str, ...] = ()

    def every_name(self) -> list[str]:
        return [name for name in (self.treebank, *self.others) if name is not None]

    def files(self) -> LanguageFiles:
        """Locate the files of all treebanks; raise an InputError if one is missing."""
        return LanguageFiles.of(
            [Version.find_files(name, ud_home=self.ud_home) for name in self.every_name()]
        )


@dataclass(frozen=True)
class LanguageFiles(TreebankFiles):
    """Hold the files of treebanks of one language; it has no files besides theirs."""

    members: tuple[TreebankFiles, ...] = field(kw_only=True)

    @classmethod
    def of(cls, members: Sequence[TreebankFiles]) -> LanguageFiles:
        """Return the files of these treebanks together."""
        releases = {files.release for files in members}
        titles = [name.replace(" ", "-") for name in tell_apart([_title_of(files) for files in members])]
        release = releases.pop() if len(releases) == 1 else ""
        return cls(cls.join_titles(titles), release, None, members=tuple(members))

    def list_other_files(self) -> tuple[TreebankFiles, ...]:
        return self.members

    def folds(
        self,
        treebank: Treebank,
        read: Callable[[TreebankFiles], Treebank],
        divide: Callable[[Treebank], Sequence[Treebank]],
    ) -> tuple[LanguageTreebank, ...]:
        """Return all treebanks as one fold: what is learned from the first, and parsed in the others.

        Raises:
            InputError: a treebank cannot be compared.
        """
        members = [read(files) for files in self.members]
        check_files_differ((_title_of(each), each.files.values()) for each in members)
        compared = compare_members(map(Version.of_treebank, members))
        check_treebanks(compared, TrainingSettings())
        first, *others = (each.version.sentences for each in compared)
        rest = tuple(sentence for sentences in others for sentence in sentences)
        digests = {path: digest for member in members for path, digest in member.files.items()}
        warnings = tuple(f"{member.name}: {line}" for member in members for line in member.warnings)
        return (
            LanguageTreebank(
                self.name,
                self.release,
                first,
                rest,
                rest,
                files=digests,
                warnings=warnings,
                compared=compared,
            ),
        )


@dataclass(frozen=True, repr=False, kw_only=True)
class LanguageTreebank(Treebank):
    """Hold treebanks of one language."""

    compared: tuple[ComparedTreebank, ...]


def check_files_differ(treebanks: Iterable[tuple[str, Iterable[str]]]) -> None:
    """Refuse treebanks that have the same files.

    Args:
        treebanks: the title of each, and the digests of its files.

    Raises:
        InputError: two have the same files.
    """
    seen: dict[frozenset[str], str] = {}
    for title, files in treebanks:
        digests = frozenset(files)
        if digests and digests in seen:
            raise InputError(
                f"{title} has the same files as {seen[digests]}, so no convention can differ; "
                "name another treebank of the language"
            )
        seen[digests] = title


def _title_of(treebank: TreebankFiles | Treebank) -> str:
    return f"{treebank.name} {treebank.release}".strip()


def tell_apart(titles: Sequence[str]) -> list[str]:
    """Return names of treebanks without their releases if that tells them apart; those with the same name
    get numbers."""
    without = [title.partition(" ")[0] for title in titles]
    if len(set(without)) == len(titles):
        return without
    counts = Counter(titles)
    numbered = enumerate(titles, start=1)
    return [f"{title} ({number})" if counts[title] > 1 else title for number, title in numbered]


def compare_members(versions: Iterable[Version]) -> tuple[ComparedTreebank, ...]:
    """Return treebanks that take part in a comparison, with names that tell them apart."""
    members = list(versions)
    names = tell_apart([version.name for version in members])
    return tuple(
        ComparedTreebank(replace(version, name=name)) for version, name in zip(members, names, strict=True)
    )
