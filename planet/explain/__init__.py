"""Reasons for entries shown or hidden, and the health of feeds; no request is sent.

Its doors:

    outcomes   the state → the fate of each entry; words of an operator → entries and feeds
    sentences  fates and the health of feeds in words
    status     the state → the health of all feeds, also during a run
"""
