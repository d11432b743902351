"""The tables of Wisniewski, Lacroix & Yvon (2018) over the runs of many treebanks."""
