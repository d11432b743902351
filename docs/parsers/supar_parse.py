"""Parse with a model of SuPar, each sentence as a tree: its command line leaves cycles."""

import sys

import torch
from supar import Parser

torch.set_num_threads(1)
model, source, output = sys.argv[1:]
Parser.load(model).predict(source, pred=output, tree=True, verbose=False, buckets=8)
