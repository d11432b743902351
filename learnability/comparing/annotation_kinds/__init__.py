"""Define the kinds of annotation, a module each; `comparing.names` finds them here."""
