"""Finding treebanks: by directory, by training file, or by name on the search path (design section 4)."""

from __future__ import annotations

import difflib
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from learnability.errors import InputError
from learnability.treebanks.labels import release_in

DEMO = "demo"
DEMO_FOLDER = Path(__file__).parent / "data" / "UD_Demo"
"""The bundled treebank; written by `tools/make_demo.py`."""

_FILE = re.compile(r"(?P<code>.+)-(?:s?ud)-(?P<split>train|dev|test)(?P<part>[^/\\]*)\.conllu")
_MAX_DEPTH = 2


@dataclass(frozen=True)
class TreebankFiles:
    """Where the splits of a treebank are; nothing has been read yet.

    Attributes:
        name: the folder's name (`UD_French`), or the training file's stem.
        release: the UD release (`1.3`, `2.16`), empty where unknown.
        folder: the treebank's folder; None for explicit files.
        train, dev, test: the files of each split, sorted by name; empty where there are none.
    """

    name: str
    release: str
    folder: Path | None
    train: tuple[Path, ...] = ()
    dev: tuple[Path, ...] = ()
    test: tuple[Path, ...] = ()

    def splits(self) -> Iterator[tuple[str, tuple[Path, ...]]]:
        """Pairs of a split's name and its files, in the order train, dev, test."""
        yield "train", self.train
        yield "dev", self.dev
        yield "test", self.test


def language_code(paths: Iterable[str | os.PathLike[str]]) -> str:
    """The language code that the file names begin with (`fr_gsd-ud-train.conllu`: `fr`), if all agree."""
    matches = [_FILE.fullmatch(Path(path).name) for path in paths]
    codes = {match["code"].partition("_")[0] if match else "" for match in matches}
    return codes.pop() if len(codes) == 1 else ""


def locate_treebank(
    spec: str | os.PathLike[str],
    *,
    ud_home: str | os.PathLike[str] | None = None,
    release: str | None = None,
) -> TreebankFiles:
    """The files of the treebank that `spec` means: a directory, a training file, a name, or ``demo``.

    An existing path is taken as such. A name is looked for in `ud_home`, then in the folders that
    LEARNABILITY_UD_HOME and UDBASE name, then in the download cache, in each at any depth up to 2. The
    first place that has it wins; within a place the newest release, or the one asked for.

    Raises:
        InputError: not found (with the places searched and the nearest names), not a treebank, or
            another release than the one asked for.
    """
    text = os.fspath(spec)
    wanted = (release or "").lstrip("rvRV")
    if text == DEMO:
        return _in_folder(DEMO_FOLDER)
    path = Path(text)
    if path.is_dir() or path.is_file():
        absolute = Path(os.path.abspath(path))  # not resolved: a link's own name and place count
        found = _in_folder(absolute) if path.is_dir() else _of_training_file(absolute)
        if wanted and found.release and found.release != wanted:
            raise InputError(
                f"{text}: is of release {found.release}, not {wanted}; give another path or --release"
            )
        return replace(found, release=wanted or found.release)
    return _by_name(text, wanted, _places(ud_home))


def list_treebanks(ud_home: str | os.PathLike[str] | None = None) -> list[TreebankFiles]:
    """All treebanks below `ud_home`, or without it on the whole search path.

    Sorted by name, the newest release last; of the same name and release the first on the path. The
    bundled ``demo`` is not listed. Treebanks that share a folder are called by their first file's stem.

    Raises:
        InputError: `ud_home` is no folder.
    """
    places = _places(ud_home)
    if ud_home is not None:
        places = places[:1]
    found: dict[tuple[str, str], TreebankFiles] = {}
    for _, place in places:
        for folder in _folders(place):
            codes = sorted({match["code"] for match, _ in _treebank_files(folder)})
            for code in codes:
                files = _in_folder(folder, code)
                if len(codes) > 1:
                    files = replace(files, name=(files.train or files.dev or files.test)[0].stem)
                found.setdefault((files.name, files.release), files)
    return sorted(found.values(), key=lambda files: (files.name, release_key(files.release)))


def explicit_files(
    base: TreebankFiles | None = None,
    *,
    train: Iterable[str | os.PathLike[str]] = (),
    dev: Iterable[str | os.PathLike[str]] = (),
    test: Iterable[str | os.PathLike[str]] = (),
) -> TreebankFiles:
    """`base` with the given splits replaced; without a base, a treebank of these files only.

    Raises:
        InputError: a file does not exist, or nothing was given.
    """
    given = {"train": train, "dev": dev, "test": test}
    paths = {split: tuple(Path(file) for file in files) for split, files in given.items()}
    every = [path for files in paths.values() for path in files]
    for path in every:
        if not path.is_file():
            raise InputError(f"{path}: no such file; give existing CoNLL-U files")
    if base is None:
        if not every:
            raise InputError("no treebank given; give --treebank or --train, --dev and --test")
        base = TreebankFiles(
            every[0].stem, release_in(Path(os.path.abspath(every[0])).parent.parent.name), None
        )
    return replace(
        base,
        train=paths["train"] or base.train,
        dev=paths["dev"] or base.dev,
        test=paths["test"] or base.test,
    )


def release_key(release: str) -> tuple[int, ...]:
    """A sort key: ``1.3`` < ``2.9`` < ``2.16``; an unknown release sorts first."""
    return tuple(int(part) for part in re.findall(r"\d+", release))


def cache_folder() -> Path:
    """Where downloaded treebanks are kept."""
    from platformdirs import user_cache_dir

    return Path(user_cache_dir("learnability")) / "treebanks"


def _places(ud_home: str | os.PathLike[str] | None) -> list[tuple[str, Path]]:
    """The search path: pairs of what names a place and the place."""
    places = []
    if ud_home is not None:
        home = Path(ud_home)
        if not home.is_dir():
            raise InputError(f"{home}: no such folder; give --ud-home a folder that holds treebanks")
        places.append(("--ud-home", home))
    for variable in ("LEARNABILITY_UD_HOME", "UDBASE"):
        if value := os.environ.get(variable):
            places.append((variable, Path(value)))
    places.append(("download cache", cache_folder()))
    return [(origin, Path(os.path.abspath(place))) for origin, place in places]


def _folders(top: Path, depth: int = 0) -> Iterator[Path]:
    """`top` and the folders below it down to depth 2, not those inside a treebank's folder."""
    if not top.is_dir():
        return
    yield top
    if depth == _MAX_DEPTH or (depth and _treebank_files(top)):
        return
    try:
        below = sorted(entry.name for entry in os.scandir(top) if entry.is_dir())
    except PermissionError:
        return
    for name in below:
        if not name.startswith("."):
            yield from _folders(top / name, depth + 1)


def _treebank_files(folder: Path) -> list[tuple[re.Match[str], Path]]:
    """The files of `folder` that are named as a split, with the match, sorted by name."""
    try:
        names = sorted(os.listdir(folder))
    except PermissionError:
        return []
    return [(match, folder / name) for name in names if (match := _FILE.fullmatch(name))]


def _in_folder(folder: Path, code: str | None = None) -> TreebankFiles:
    """The treebank in `folder`: the one with this file code, else the only one."""
    named = _treebank_files(folder)
    codes = sorted({match["code"] for match, _ in named})
    if not named:
        raise InputError(
            f"{folder}: holds no *-ud-train*.conllu, *-ud-dev*.conllu or *-ud-test*.conllu; "
            "give a treebank's folder, or --train, --dev and --test"
        )
    if code is None and len(codes) > 1:
        raise InputError(
            f"{folder}: holds files of several treebanks ({', '.join(codes)}); give one training file"
        )
    chosen = [(match, path) for match, path in named if match["code"] == (code or codes[0])]
    by_split = {
        split: tuple(path for match, path in chosen if match["split"] == split)
        for split in ("train", "dev", "test")
    }
    return TreebankFiles(folder.name, release_in(folder.parent.name), folder, **by_split)


def _of_training_file(path: Path) -> TreebankFiles:
    """The treebank a training file belongs to; a file of any other name is a training set by itself."""
    match = _FILE.fullmatch(path.name)
    if match is None:
        return TreebankFiles(path.stem, release_in(path.parent.parent.name), None, train=(path,))
    if match["split"] != "train":
        raise InputError(
            f"{path}: is a {match['split']} file; give the training file, the folder, or --{match['split']}"
        )
    files = _in_folder(path.parent, match["code"])
    return files if re.match(r"S?UD_", files.name) else replace(files, name=path.stem)


def _by_name(name: str, wanted: str, places: Sequence[tuple[str, Path]]) -> TreebankFiles:
    names: set[str] = set()
    releases: set[str] = set()
    for _, place in places:
        found = []
        for folder in _folders(place):
            if folder.name == name and _treebank_files(folder):
                found.append(_in_folder(folder))
            elif folder.name.startswith(("UD_", "SUD_")):
                names.add(folder.name)
        releases.update(files.release for files in found)
        matching = [files for files in found if not wanted or files.release == wanted]
        if matching:
            return max(matching, key=lambda files: release_key(files.release))
    if releases:
        known = ", ".join(release or "unknown" for release in sorted(releases, key=release_key))
        raise InputError(
            f"treebank {name!r}: not found in release {wanted}, only in {known}; give another --release"
        )
    searched = ", ".join(
        f"{place} ({origin}{'' if place.is_dir() else ', no such folder'})" for origin, place in places
    )
    near = difflib.get_close_matches(name, sorted(names | {DEMO}), n=3, cutoff=0.5)
    hint = f"nearest names: {', '.join(near)}" if near else "no name is near"
    raise InputError(
        f"treebank {name!r}: not found in {searched}; {hint}; give a folder, a training file or a name"
    )
