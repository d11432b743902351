"""Training against all references of a sentence at once: sets, oracle, trainer (NAACL 2018)."""
