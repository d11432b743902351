"""The seeded grammar that the bundled `demo` treebank is written with; see `tools/make_demo.py`."""
