"""The spine of a run. Start at `build`.

Its doors:

    build     the run from top to bottom: update, publish, retire
    lists     subscription lists on the web → the feeds on them
    poll      requests → answers: the one way to ask
    journal   what is written down while feeds are asked; who could not be reached
    read      a body → what it says that is not known yet, in a worker
    ingest    what came of a feed → the store
    changes   what a feed lists now → what of it is stored, and how it is dated: pure
    publish   the store → sites, where they are not published already
    edition   the store → what a site shows
    drawing   what a site shows → its files, and a fingerprint of what they are made from
    pictures  faces of sources → files of a site
    texts     numbers of entries → their clean texts, made when they are first wanted
    recover   a lost state ← what the published site says of its entries
    open      a config → what a run works with, opened
    workers   a pure function → its result, from another process
"""
