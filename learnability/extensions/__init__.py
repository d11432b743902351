"""Hold what the core can do without: a folder for each extension, found through its entry point."""
