"""Atlas: the answers over many treebanks as a static site and as a CLDF dataset."""

from learnability.support.plugins import Extension

EXTENSION = Extension(name="atlas", comparisons=("learnability.atlas.declaration:ATLAS",))
