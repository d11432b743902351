"""The kinds of annotation, a module each; `comparing.names` lists them."""
