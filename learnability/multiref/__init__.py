"""multiref"""
