"""The spine of a run. Start at `build`.

Doors:

    build     the run from top to bottom: fetch, publish, retire
    lists     subscription lists on the web → the feeds on them
    poll      requests → answers: the one way to ask, with the journal of attempts
    read      a body → the new and edited entries, in a worker
    ingest    a reading of a feed → the changes of the store
    pictures  faces of sources → files of a site
    edition   the store → a site: contents, files, and fingerprints of both
    publish   sites → output folders, where a folder is not up to date
    recover   a lost state ← the published site: the dates of entries
    open      a config → the tools of a run, opened
    workers   a pure function → its result, from another process
"""
