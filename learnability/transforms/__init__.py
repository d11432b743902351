"""Transformations of UD trees: one class per construction, pure functions of a tree and a selection.

:mod:`registry` lists them by name and reads the form of the command line; :mod:`joint` applies several
together. What all share is in :mod:`base`; the constructions (:mod:`constructions`) are of three families:
:mod:`function_heads`, :mod:`flat_expressions` and :mod:`coordination`.
"""
