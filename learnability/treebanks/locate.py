"""Find treebanks by folder, by training file, or by name (docs/rules.md, Treebanks and splits)."""

from __future__ import annotations

import difflib
import os
import re
import shlex
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import chain
from pathlib import Path

from learnability.errors import InputError
from learnability.support.terminal import print_line
from learnability.treebanks.conllu_io import COMPRESSED
from learnability.treebanks.labels import release_in
from learnability.treebanks.releases import WHERE_SUD_IS, Release, is_sud, plain_release
from learnability.treebanks.sentence import Treebank

DEMO = "demo"
DEMO_FOLDER = Path(__file__).parent / "data" / "UD_Demo"
"""The bundled treebank; written by `tools/make_demo.py`."""

_FILE = re.compile(r"(?P<code>.+)-(?:s?ud)-(?P<split>train|dev|test)(?P<part>[^/\\]*)\.conllu(\.gz)?")

_NAME = re.compile(r"m?S?UD_")
"""The beginning of the names of treebanks (mSUD: annotated by morphs)."""

SPLITS = ("train", "dev", "test")

MOST_NAMES = 3
"""How many treebanks the name of one consists of that takes its files from several."""


Divide = Callable[[Treebank], Sequence[Treebank]]
"""Makes folds of a treebank: each with a training, a development and a test set."""

Read = Callable[["TreebankFiles"], Treebank]
"""Reads the sentences of files."""


@dataclass(frozen=True)
class TreebankFiles:
    """Hold the files of a treebank's splits, each split sorted by name; nothing has been read yet.

    Attributes:
        name: the name of the folder (`UD_French`), or the training file's name without its ending; see
            :func:`explicit_files`.
        release: the UD release; empty if unknown.
        folder: the folder of the treebank; None for explicit files.
        train, dev, test: the files of each split.
        alternative: the files of another annotation of the same sentences.
        annotations: other annotations of these very files, sentence by sentence, each with its name.
        pooled: the names of the files tell no training, development and test set, so `test` has all files.
    """

    name: str
    release: str
    folder: Path | None
    train: tuple[Path, ...] = ()
    dev: tuple[Path, ...] = ()
    test: tuple[Path, ...] = ()
    alternative: TreebankFiles | None = field(default=None, kw_only=True)
    annotations: tuple[tuple[str, TreebankFiles], ...] = field(default=(), kw_only=True)
    pooled: bool = field(default=False, kw_only=True)

    @staticmethod
    def join_titles(titles: Sequence[str]) -> str:
        """Return the name of what consists of several treebanks, ``UD_Irish+UD_Irish-PUD``."""
        if len(titles) > MOST_NAMES:
            titles = [*titles[: MOST_NAMES - 1], f"{len(titles) - MOST_NAMES + 1}-others"]
        return "+".join(titles)

    def splits(self) -> Iterator[tuple[str, tuple[Path, ...]]]:
        yield from (("train", self.train), ("dev", self.dev), ("test", self.test))

    def list_other_files(self) -> tuple[TreebankFiles, ...]:
        return () if self.alternative is None else (self.alternative,)

    def folds(self, treebank: Treebank, read: Read, divide: Divide) -> tuple[Treebank, ...]:
        return tuple(divide(treebank))

    def holds(self, split: str) -> bool:
        return any(path.is_file() and path.stat().st_size > 0 for path in dict(self.splits())[split])

    def as_options(self) -> str:
        """Return the options of a command that name the files in whatever folder it is typed."""
        if self.folder is not None:
            return f"--treebank {shlex.quote(str(Path(self.folder).resolve()))}"
        return " ".join(f"--test {shlex.quote(str(path.resolve()))}" for path in self.paths())

    def paths(self) -> Iterator[Path]:
        """Yield every file, including those of other annotations."""
        yield from (path for _, paths in self.splits() for path in paths)
        for other in self.list_other_files():
            yield from other.paths()
        for _, other in self.annotations:
            yield from other.paths()


def language_code(paths: Iterable[str | os.PathLike[str]]) -> str:
    """Return the language code that all file names begin with (`fr` for `fr_gsd-ud-train.conllu`), else
    nothing."""
    matches = [_FILE.fullmatch(Path(path).name) for path in paths]
    codes = {match["code"].partition("_")[0] if match else "" for match in matches}
    return codes.pop() if len(codes) == 1 else ""


EXPLICIT, A_FILE = "`train`, `dev` and `test` files", "a file with all its sentences"
"""What takes the place of a treebank that is found by its name or folder: with and without sets."""


def locate_treebank(
    spec: str | os.PathLike[str],
    *,
    ud_home: str | os.PathLike[str] | None = None,
    release: str | None = None,
    otherwise: str = EXPLICIT,
) -> TreebankFiles:
    """Return the files of the treebank that `spec` names: a folder, a training file, a name, or ``demo``.

    An existing path is used directly. A name is searched for in `ud_home` (folders separated as in PATH), or
    by default in the folders that LEARNABILITY_UD_HOME and UDBASE name and then in the download cache, in
    each down to depth 2. The first place with a match wins; within a place the newest release, or the
    requested one. A folder whose name contains no release counts as the requested one if no other folder is
    of that release.

    If the names of the files tell no training, development and test set, all ``.conllu`` files are taken.
    `otherwise` is what the caller can give in place of a folder, for messages.

    Raises:
        InputError: there is no such treebank, or it is of another release.
    """
    text = os.fspath(spec)
    wanted = plain_release(release or "")
    if text == DEMO:
        if wanted:
            raise InputError(
                f"{DEMO} has no releases, so there is no release {wanted} of it; name it without a release"
            )
        return _in_folder(DEMO_FOLDER)
    path = Path(os.path.abspath(text))  # not resolved: a link's own name and place count
    if not (path.is_dir() or path.is_file()):
        return _by_name(text, wanted, _places(ud_home))
    if path.is_dir() and path.name == text:
        _note_hidden(path, wanted, None if ud_home is None else os.fspath(ud_home))
    files = _in_folder(path, otherwise) if path.is_dir() else _of_training_file(path, otherwise)
    if wanted and files.release not in ("", wanted):
        problem = f"is of release {files.release}, not {wanted}; choose another path or `release`"
        raise InputError(f"{text} {problem}")
    return replace(files, release=wanted or files.release)


@cache
def _note_hidden(folder: Path, wanted: str, ud_home: str | None) -> None:
    """Say once that a folder here is read though the search path has another one of this name."""
    try:
        hidden = _by_name(folder.name, wanted, _places(ud_home))
    except InputError:
        return
    if hidden.folder and not hidden.folder.samefile(folder):
        name = f"{hidden.name} {hidden.release}".strip()
        print_line(
            f"The folder ./{folder.name} is read, which hides {name}; for that, name {hidden.folder}",
            error=True,
        )


def list_treebanks(
    ud_home: str | os.PathLike[str] | None = None, *, release: str | None = None
) -> list[TreebankFiles]:
    """Return all treebanks below `ud_home`, or by default on the whole search path.

    If a name and release occur twice, the first on the path is listed. The bundled ``demo`` is not listed.
    Treebanks that share a folder are named after their first file.

    Args:
        ud_home: a folder with treebanks; None for the default places (see :func:`load_treebank`).
        release: list only the treebanks of this release, and those whose folder names no release.

    Returns:
        The files of each treebank, sorted by name, the newest release last.

    Raises:
        InputError: `ud_home` is no folder.
    """
    listed: dict[tuple[str, str], TreebankFiles] = {}
    for _, place in _places(ud_home):
        for folder in _folders(place):
            treebanks = treebanks_in(folder)
            for files in treebanks.values():
                if len(treebanks) > 1:
                    files = replace(files, name=_stem((files.train or files.dev or files.test)[0]))
                listed.setdefault((files.name, files.release), files)
    found = sorted(listed.values(), key=lambda files: (files.name, Release.key(files.release)))
    if not release:
        return found
    wanted = plain_release(release)
    of_release = {files.name: files for files in found if files.release in ("", wanted)}  # the latter wins
    return [replace(files, release=wanted) for files in of_release.values()]


def explicit_files(
    base: TreebankFiles | None = None,
    *,
    train: Iterable[str | os.PathLike[str]] = (),
    dev: Iterable[str | os.PathLike[str]] = (),
    test: Iterable[str | os.PathLike[str]] = (),
) -> TreebankFiles:
    """Return `base` with some splits replaced by the given files; without a base, a treebank of these files.

    Without a base it is named after its training file, its folder, or all treebanks of which it has files.
    InputError: a file does not exist, or there is neither a base nor a file.
    """
    paths = {"train": tuple(map(Path, train)), "dev": tuple(map(Path, dev)), "test": tuple(map(Path, test))}
    every = [path for files in paths.values() for path in files]
    for path in every:
        if not path.is_file():
            raise InputError(f"{path} does not exist; use existing CoNLL-U files")
    if base is None:
        if not every:
            raise InputError("no treebank is named", ["`treebank`", EXPLICIT])
        base = _named_after(*paths.values())
    if base.pooled:
        base = replace(base, test=(), pooled=False)
    splits = dict(base.splits()) | {split: files for split, files in paths.items() if files}
    return TreebankFiles(base.name, base.release, base.folder, *(splits[name] for name in SPLITS))


def cache_folder() -> Path:
    """Return the folder that holds downloaded treebanks."""
    from platformdirs import user_cache_dir

    return Path(user_cache_dir("learnability")) / "treebanks"


def _places(ud_home: str | os.PathLike[str] | None) -> list[tuple[str, Path]]:
    if ud_home is not None:
        homes = _split_folders(ud_home)
        if missing := [home for home in homes if not home.is_dir()]:
            raise InputError(
                f"the folder {missing[0]} does not exist; set `ud_home` to a folder that holds treebanks"
            )
        return [("`ud_home`", home) for home in homes]
    variables = [(name, os.environ.get(name)) for name in ("LEARNABILITY_UD_HOME", "UDBASE")]
    places = [(name, place) for name, value in variables if value for place in _split_folders(value)]
    return [*places, ("download cache", cache_folder())]


def _split_folders(folders: str | os.PathLike[str]) -> list[Path]:
    """Return the folders of a list that is written like PATH: with a colon between them."""
    text = os.fspath(folders)
    names = [text] if os.path.isdir(text) else [name for name in text.split(os.pathsep) if name]
    return [Path(os.path.abspath(name)) for name in names or [text]]


def _folders(top: Path, depth: int = 0) -> Iterator[Path]:
    """Yield `top` and the folders below it down to depth 2, except those inside a treebank's folder."""
    if not top.is_dir():
        return
    yield top
    if depth == 2 or (depth and treebanks_in(top)):
        return
    for name in _names(top):
        if not name.startswith("."):
            yield from _folders(top / name, depth + 1)


def _names(folder: Path) -> list[str]:
    """Return the names in a folder, sorted; a compressed file beside the file itself would count twice."""
    try:
        names = set(os.listdir(folder))
    except PermissionError:
        return []
    return sorted(name for name in names if name.removesuffix(COMPRESSED) not in names - {name})


def is_treebank_file(name: str) -> bool:
    return _FILE.fullmatch(name) is not None


def treebanks_in(folder: Path) -> dict[str, TreebankFiles]:
    """Return the treebanks whose files are in `folder`, by the code at the beginning of their file names."""
    by_code: dict[str, dict[str, tuple[Path, ...]]] = {}
    for name in _names(folder):
        if match := _FILE.fullmatch(name):
            splits = by_code.setdefault(match["code"], {})
            splits[match["split"]] = (*splits.get(match["split"], ()), folder / name)
    release = release_in(folder.parent.name)
    treebanks: dict[str, TreebankFiles] = {}
    for code, splits in sorted(by_code.items()):
        paths = (splits.get(name, ()) for name in SPLITS)
        treebanks[code] = TreebankFiles(folder.name, release, folder, *paths)
    return treebanks


def _in_folder(folder: Path, otherwise: str = EXPLICIT) -> TreebankFiles:
    """Return the only treebank in `folder`, or all its CoNLL-U files if their names tell no sets."""
    treebanks = treebanks_in(folder)
    if not treebanks:
        files = tuple(folder / name for name in conllu_names(folder))
        if not files:
            below = [
                name for name in _names(folder) if (folder / name).is_dir() and conllu_names(folder / name)
            ]
            ends = ", ..." if len(below) > 3 else ""
            deeper = f" (folders in it do: {', '.join(below[:3])}{ends})" if below else ""
            raise InputError(f"{folder} holds no .conllu file{deeper}", ["a treebank's folder", otherwise])
        return TreebankFiles(folder.name, release_in(folder.parent.name), folder, test=files, pooled=True)
    if len(treebanks) > 1:
        codes = ", ".join(treebanks)
        raise InputError(f"{folder} holds files of several treebanks ({codes}); use one training file")
    return next(iter(treebanks.values()))


def conllu_names(folder: Path) -> list[str]:
    return [
        name
        for name in _names(folder)
        if name.endswith((".conllu", ".conllu.gz")) and not name.startswith(".")
    ]


def _stem(path: Path) -> str:
    return Path(path.name.removesuffix(".gz")).stem


def _of_training_file(path: Path, otherwise: str) -> TreebankFiles:
    match = _FILE.fullmatch(path.name)
    if match is None:
        return replace(_single_file(path), train=(path,))
    if match["split"] != "train":
        split = match["split"]
        usual = [f"`{split}`"] if otherwise == EXPLICIT else []
        raise InputError(f"{path} is a {split} file", ["the training file", "the folder", *usual])
    files = treebanks_in(path.parent)[match["code"]]
    if _NAME.match(files.name):
        return files
    return replace(files, name=_stem(path) if len(files.train) == 1 else match["code"])


def _single_file(path: Path) -> TreebankFiles:
    return TreebankFiles(_stem(path), release_in(path.parent.parent.name), None)


def _named_after(*splits: tuple[Path, ...]) -> TreebankFiles:
    paths = [Path(os.path.abspath(path)) for path in chain.from_iterable(splits)]
    by_treebank: dict[tuple[Path, str], list[Path]] = {}
    for path in paths:
        match = _FILE.fullmatch(path.name)
        by_treebank.setdefault((path.parent, match["code"] if match else ""), []).append(path)
    releases = {release_in(path.parent.parent.name) for path in paths}
    first_split = next(filter(None, splits))
    if len(first_split) == len(by_treebank) == 1:
        return _single_file(paths[0])

    def title(folder: Path, code: str) -> str:
        files = by_treebank[folder, code]
        usual = code or (_stem(files[0]) if len(files) == 1 else folder.name)
        name = folder.name if _NAME.match(folder.name) else usual
        return f"{name}-{release_in(folder.parent.name)}".strip("-") if len(releases) > 1 else name

    titles = list(dict.fromkeys(title(*treebank) for treebank in by_treebank))
    return TreebankFiles(
        TreebankFiles.join_titles(titles), releases.pop() if len(releases) == 1 else "", None
    )


def _is_treebank(folder: Path) -> bool:
    return bool(treebanks_in(folder) or (_NAME.match(folder.name) and conllu_names(folder)))


def _by_name(name: str, wanted: str, places: Sequence[tuple[str, Path]]) -> TreebankFiles:
    found: list[list[TreebankFiles]] = []
    names = {DEMO}
    for _, place in places:
        folders = list(_folders(place))
        names.update(folder.name for folder in folders if _NAME.match(folder.name))
        found.append([_in_folder(f) for f in folders if f.name == name and _is_treebank(f)])
    for release in (wanted, ""):  # else a folder that does not tell its release
        for treebanks in found:
            matching = [files for files in treebanks if not wanted or files.release == release]
            if matching:
                newest = max(matching, key=lambda files: Release.key(files.release))
                return replace(newest, release=wanted or newest.release)
    renamed = Release.other_name(name, wanted) if wanted else ""
    releases = {files.release for treebanks in found for files in treebanks}
    if releases:
        known = ", ".join(sorted(releases, key=Release.key))
        advice = f"it {renamed}" if renamed else "choose another `release`"
        raise InputError(f"treebank {name!r} was not found in release {wanted}, only in {known}; {advice}")
    if renamed:
        raise InputError(f"treebank {name!r} {renamed}; use this name")
    searched = ", ".join(
        f"{place} ({origin}{'' if place.is_dir() else ', no such folder'})" for origin, place in places
    )
    near = ", ".join(difflib.get_close_matches(name, sorted(names - {name}), n=3, cutoff=0.5))
    hint = f"nearest names: {near}" if near else "no name is similar"
    advice = (
        "download it with `learnability fetch`, choose another `ud_home`, or use a folder, a training file "
        "or another name"
    )
    if is_sud(name):
        advice = f"{WHERE_SUD_IS}; use the folder in which you put it"
    raise InputError(f"treebank {name!r} was not found in {searched}; {hint}; {advice}")
