"""Learn and parse trees: transition systems, oracles, features, perceptron, training and parsing.

This package learns and parses trees. It does not depend on transformations or schemes.
"""
