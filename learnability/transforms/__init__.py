"""Transformations of UD trees: one class per construction, pure functions of a tree and a selection.

`TRANSFORMATIONS` lists them by name; :func:`get_transformation` reads the form of the command line;
:class:`JointTransformation` applies several together. What all share is in :mod:`base`; the constructions
(:mod:`constructions`) are of three families: :mod:`function_heads`, :mod:`flat_expressions` and
:mod:`coordination`.
"""

from learnability.transforms.base import Promises, Rule, Transformation, invert_all, learn_side_preferences
from learnability.transforms.joint import JointTransformation
from learnability.transforms.plan import Layer, Leaf, Plan, Site, depends_on
from learnability.transforms.preferences import SidePreferences
from learnability.transforms.registry import PAPER, TRANSFORMATIONS, get_transformation

__all__ = [
    "PAPER",
    "TRANSFORMATIONS",
    "JointTransformation",
    "Layer",
    "Leaf",
    "Plan",
    "Promises",
    "Rule",
    "SidePreferences",
    "Site",
    "Transformation",
    "depends_on",
    "get_transformation",
    "invert_all",
    "learn_side_preferences",
]
