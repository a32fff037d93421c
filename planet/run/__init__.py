"""The spine of a run. Start at `build`.

Its doors:

    build     the run from top to bottom: fetch, publish, retire
    lists     subscription lists on the web → the feeds on them
    poll      requests → answers: the one way to ask, and all that is written down meanwhile
    read      a body → its entries that are not stored yet, in a worker
    ingest    a reading of a feed → the changes of the store
    pictures  faces of sources → files of a site
    edition   the store → a site, its files, and whether they would be others than before
    publish   sites → their folders, where they are not published already
    recover   a lost state ← the published site: when its entries were first seen
    open      a config → the tools of a run, opened
    workers   a pure function → its result, from another process
"""
