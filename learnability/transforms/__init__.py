"""Transformations of UD trees: one file per construction, pure functions of a tree and a selection.

`TRANSFORMATIONS` lists them by name; :func:`get_transformation` reads the form of the command line;
:class:`JointTransformation` applies several together. The machinery is in :mod:`base`.
"""

from learnability.transforms.base import Promises, Transformation, explore, invert_all, learn_side_preferences
from learnability.transforms.inverse import SidePreferences
from learnability.transforms.joint import JointTransformation
from learnability.transforms.plan import Layer, Leaf, Plan, Site, depends_on
from learnability.transforms.registry import PAPER, TRANSFORMATIONS, get_transformation

__all__ = [
    "PAPER",
    "TRANSFORMATIONS",
    "JointTransformation",
    "Layer",
    "Leaf",
    "Plan",
    "Promises",
    "SidePreferences",
    "Site",
    "Transformation",
    "depends_on",
    "explore",
    "get_transformation",
    "invert_all",
    "learn_side_preferences",
]
