"""Drawings of trees and derivations: arcs over words, as SVG and as text."""
