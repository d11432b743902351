"""Train a graph-based neural parser on JAX: its network, its training, and its word vectors."""
