"""Measure which annotation scheme of a treebank a parser learns best.

Functions and classes offer everything that the commands do. Begin with these:

>>> import learnability
>>> bank = learnability.load_treebank("demo")
>>> bank
<Treebank UD_Demo: train 230, dev 40, test 600 sentences>
>>> case = learnability.get_transformation("case", bank)
>>> tree = bank.train[0].tree
>>> references = learnability.reference_set(tree, case)
>>> references
<ReferenceSet of <Tree of 10 tokens: Was the farmer at the famous ...>: 1 place in 1 factor>
>>> len(references) == 2 ** len(case.places(tree))
True
>>> parser = learnability.Parser.fit(bank.train, iterations=1)
>>> parsed = parser.parse(bank.test)
>>> scores = learnability.attachment_scores([s.tree for s in bank.test], [s.tree for s in parsed])
>>> scores.uas > 50
True

:func:`learnability.run_experiment` carries out a whole comparison. `dir(learnability)` lists the public
names. The module of each is imported when it is first used.
"""

import lazy_loader

# The names are in __init__.pyi, where type checkers and editors look for them.
_named, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)


def __getattr__(name: str) -> object:
    """Return a public name, imported now; `__version__` is the version of the installed package."""
    if name != "__version__":
        return _named(name)
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("learnability")
    except PackageNotFoundError:
        return "(not installed)"
