"""Episodes that the operator picks from many podcasts.

Its doors:

    picking     episodes → picks in picks.yaml, and out of it again
    picks_file  the text of picks.yaml → the text with more picks, fewer, or new addresses
"""
