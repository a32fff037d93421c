"""One feed by itself: what is at an address, through a cache that needs no config.

Its doors:

    peek      addresses → what the feeds there say
    discover  an address → the feed that a planet asks for from then on
"""
