"""Atlas: the answers over many treebanks as a static site."""

from learnability.support.plugins import Extension

EXTENSION = Extension(name="atlas", comparisons=("learnability.atlas.declaration:ATLAS",))
