"""From the names on the command line to the transformation they mean."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from learnability.errors import InputError

if TYPE_CHECKING:
    from learnability.transforms import Transformation
    from learnability.treebanks import ConlluFile, Conventions


def check_names(transform: Sequence[str], scheme: str | None = None) -> None:
    """Refuse unknown names before anything is read.

    Raises:
        InputError: neither or both kinds given, an unknown name (with the nearest), or one given twice.
    """
    from learnability.treebanks import Conventions

    chosen_transformation(transform, scheme, Conventions())


def chosen_transformation(
    transform: Sequence[str], scheme: str | None, conventions: Conventions
) -> Transformation:
    """The transformation that --transform (several: together) or --scheme names, for a treebank.

    Raises:
        InputError: as :func:`check_names`.
    """
    from learnability.transforms import JointTransformation, get_transformation

    if bool(transform) == bool(scheme):
        raise InputError("give --transform NAME (repeatable) or --scheme NAME, one of the two")
    if scheme:
        from learnability.schemes import get_scheme

        return get_scheme(scheme, conventions)
    parts = [get_transformation(name, conventions) for name in transform]
    return parts[0] if len(parts) == 1 else JointTransformation(parts)


def file_conventions(file: ConlluFile) -> Conventions:
    """The conventions of a file by itself: its labels, and what its place and name tell."""
    from dataclasses import replace

    from learnability.treebanks import detect_conventions
    from learnability.treebanks.labels import release_in
    from learnability.treebanks.locate import language_code

    release = release_in(file.path.resolve().parent.parent.name) if file.path else ""
    found = detect_conventions((sentence.tree for sentence in file.sentences), release=release)
    return replace(found, language=language_code([file.path] if file.path else []))


def file_label(transformation: Transformation, scheme: str | None) -> str:
    """What follows the ``@`` in the folder's name: ``case+det``, ``cop-reattach-clause``, ``sud-like``."""
    if scheme:
        return _safe(scheme.removesuffix(".toml").rpartition("/")[2])
    return "+".join(_safe(part.spec) for part in transformation.parts)


def _safe(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9_]+", "-", name).strip("-")
