"""Transition systems as the papers define them, search over their derivations, a tester for oracles."""
