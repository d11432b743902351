"""Transform UD trees: one class per construction, pure functions of a tree and a selection.

:mod:`registry` lists them by name and parses their form on the command line. :mod:`joint` applies several
together. :mod:`base` has what all of them share. The constructions (:mod:`constructions`) belong to families,
a module each: :mod:`function_heads`, :mod:`flat_expressions`, :mod:`coordination`, :mod:`conjuncts`,
:mod:`punctuation`.
"""
