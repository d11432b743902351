"""Store a parser of another scheme in a model file, together with its conversion back to UD.

The file holds the definition of the scheme (the names on the command line, or the text of a scheme file), the
conventions of the treebank, the preferences of function words learned from the training trees, and, for an
unlabelled parser, the token classifier that finds relations and places.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec

from learnability.comparing.conversion import Class, Converter, PlaceClassifier, example, train_converter
from learnability.errors import InputError
from learnability.multiref.references import LabelOption
from learnability.parsing.model_file import Attachment, check_deprels, check_root_labels
from learnability.parsing.parser import ParserOptions
from learnability.parsing.perceptron import CLASSES
from learnability.schemes import get_scheme
from learnability.schemes.toml_file import scheme_from_text
from learnability.support.toml_section import SUFFIX
from learnability.transforms.base import Transformation
from learnability.transforms.joint import JointTransformation
from learnability.transforms.preferences import SidePreferences
from learnability.transforms.registry import get_transformation
from learnability.treebanks.labels import ROOT_LABEL
from learnability.treebanks.sentence import Conventions, Tree

StoredPreferences = dict[str, list[tuple[tuple[str, ...], Annotated[int, msgspec.Meta(ge=0, le=1 << 53)]]]]


@dataclass(frozen=True)
class Definition:
    """Hold the definition of a scheme: transformations as after --transform, or a scheme as after
    --alternative, with the text of its file if it is one."""

    transform: tuple[str, ...] = ()
    scheme: str = ""
    text: str = ""

    @classmethod
    def of(cls, transform: Sequence[str], scheme: str | None) -> Definition:
        """Return the definition that the command line names."""
        text = ""
        if scheme and scheme.endswith(SUFFIX):
            get_scheme(scheme, Conventions())
            text = Path(scheme).read_text(encoding="utf-8")
        return cls(tuple(transform), scheme or "", text)

    def transformation(self, conventions: Conventions) -> Transformation:
        """Return the transformation, for a treebank with these conventions."""
        if self.text:
            return scheme_from_text(self.text, self.scheme).transformation(conventions)
        if self.scheme:
            return get_scheme(self.scheme, conventions)
        parts = [get_transformation(name, conventions) for name in self.transform]
        return parts[0] if len(parts) == 1 else JointTransformation(parts)


class StoredConversion(msgspec.Struct):
    """Hold the content that :func:`trained_conversion` attaches to a model, except the weights."""

    scheme: Definition
    conventions: Conventions
    preferences: StoredPreferences | None
    labels: Literal["external", "keep"] | None = None
    classes: tuple[Class, ...] = ()
    root_labels: tuple[str, ...] = (ROOT_LABEL,)


def trained_conversion(
    trees: Sequence[Tree],
    definition: Definition,
    conventions: Conventions,
    options: ParserOptions,
    labels: LabelOption,
) -> Attachment:
    """Learn the conversion back to UD for a parser with these options, from the UD training trees.

    `labels`: the label option of the trees that a labelled parser was trained on.
    """
    rule = definition.transformation(conventions)
    converter = train_converter(
        trees,
        rule,
        labels if options.labelled else None,
        options.encode,
        tags=options.tags,
        example_of=partial(example, rule, lifts=options.transition_system.projective),
    )
    classifier, preferences = converter.classifier, converter.preferences
    content: dict[str, Any] = {
        "scheme": asdict(definition),
        "conventions": asdict(conventions),
        **({"classes": classifier.classes} if classifier else {"labels": labels}),
        "preferences": preferences.as_json() if preferences else None,
    }
    if classifier and classifier.root_labels != (ROOT_LABEL,):
        content["root_labels"] = classifier.root_labels
    return Attachment(content, classifier.weights if classifier else None)


@contextmanager
def _explain_misfit(model: str) -> Iterator[None]:
    try:
        yield
    except (KeyError, ValueError, RecursionError) as error:
        raise InputError(
            f"the conversion back to UD in {model} does not fit this version "
            f"({type(error).__name__}: {error}); train it again"
        ) from None


def _content(attachment: Attachment) -> tuple[StoredConversion, Transformation]:
    content = msgspec.convert(attachment.content, StoredConversion)
    if asdict(content.conventions) != attachment.content["conventions"]:
        raise ValueError(f"conventions {attachment.content['conventions']}")
    return content, content.scheme.transformation(content.conventions)


def scheme_of(attachment: Attachment, model: str) -> Transformation:
    with _explain_misfit(model):
        return _content(attachment)[1]


def converter_from(attachment: Attachment | None, options: ParserOptions, model: str) -> Converter:
    """Return the converter in a model file; InputError if there is none, or it does not fit this version."""
    if attachment is None:
        raise InputError(
            f"{model} has no conversion back to UD, because it was trained on unmodified trees or on "
            "those of a command; train it with `transforms` or an `alternative` of rules, or parse without "
            "`to_ud`"
        )
    with _explain_misfit(model):
        content, rule = _content(attachment)
        preferences = None if content.preferences is None else SidePreferences.from_json(content.preferences)
        if attachment.weights is None:
            if content.labels is None:
                raise ValueError("no labels")
            return Converter(rule, preferences, content.labels, tags=options.tags)
        if attachment.weights.meta[CLASSES] != len(content.classes):
            raise ValueError(f"classes: {len(content.classes)}")
        deprels = [deprel for deprel, _ in content.classes]
        check_deprels((*deprels, *content.root_labels))
        check_root_labels(deprels, content.root_labels)
        classifier = PlaceClassifier(content.classes, attachment.weights, options.encode, content.root_labels)
        return Converter(rule, preferences, classifier=classifier, tags=options.tags)
