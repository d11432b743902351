"""Show what differs between two annotations: on a terminal, as a page, tables, CoNLL-U, and a changelog."""
