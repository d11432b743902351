"""Train on all alternative trees of a sentence at once: reference sets, oracle, trainer.

Wisniewski, Lacroix & Yvon (NAACL 2018), Algorithm 1.
"""
