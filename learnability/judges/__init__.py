"""Who judges annotations: parsers that learn them, our own and those of others, one file each."""
