"""Make the tables of Wisniewski, Lacroix & Yvon (2018) from the runs of many treebanks."""
