"""Transition systems, their oracles, features, perceptron, training and parsing.

Knows nothing of transformations or schemes: it learns and parses trees.
"""
