"""Episodes that the operator picks from many podcasts.

Its door:

    picking  episodes → picks in picks.yaml, and out of it again
"""
