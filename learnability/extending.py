"""Hold what extensions import: all that they may know of the core.

The names are in extending.pyi, by what they are for, with a line each. The module of each is imported when
it is first used, as in `learnability`: an extension is declared for every command.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub("learnability", __file__)
