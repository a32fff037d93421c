"""`poll` over the workers of a Dask cluster. The only package that knows Dask.

Its door:

    cluster  requests → answers, asked and read by workers on other machines
"""
