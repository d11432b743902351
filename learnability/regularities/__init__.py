"""Count what words have in common: the value of a column in a context, ``Number=Sing`` with XPOS VBZ.

A :class:`~learnability.regularities.word_table.WordTable` holds all words of one or several treebanks as
columns of numbers; `contexts` names the contexts of a word from general to special, and counts the values of
a column in each. Nothing is trained, and nothing is compiled.
"""
