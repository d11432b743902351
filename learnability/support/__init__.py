"""Provide what every other part may use: files, options, the terminal, progress."""
