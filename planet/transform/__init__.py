"""The operator's program that entries go through.

Its door:

    transform  new entries → the program → what it makes of them, in the store
"""
