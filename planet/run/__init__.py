"""The spine of a run. Start at `build`.

Its doors:

    build     the run from top to bottom: fetch, publish, retire
    lists     subscription lists on the web → the feeds on them
    poll      requests → answers: the one way to ask, and all that is written down meanwhile
    read      a body → its entries that are not stored yet, in a worker
    ingest    a reading of a feed → the changes of the store
    publish   the store → sites, where they are not published already
    edition   the store → what a site shows
    drawing   what a site shows → its files, and a fingerprint of what they are made from
    pictures  faces of sources → files of a site
    texts     numbers of entries → their clean texts, made when they are first wanted
    recover   a lost state ← what the published site says of its entries
    open      a config → what a run works with, opened
    workers   a pure function → its result, from another process
"""
