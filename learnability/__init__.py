"""Which annotation scheme of a treebank does a parser learn best?"""
