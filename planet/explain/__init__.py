"""Why an entry is shown or not, and how feeds are; nobody is asked.

Its doors:

    outcomes   the state → what becomes of each entry, and why; what an operator's words mean
    sentences  the same in words, and how a feed is
    status     the state → how feeds are, also while a run holds it
"""
