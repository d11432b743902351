"""stub"""
class WordVectors: dimensions=0
