"""Posts → files, and a folder of them.

The doors:

    pages    an edition → its pages, each drawn only when asked for
    feeds    an edition → Atom, JSON Feed, podcast RSS, OPML, digests
    machine  files for machines: planet.json, headers for hosts
    publish  files → a folder: whole files, only the changed ones
    search   an edition → an index of its posts, to look words up in
    words    a language → words, dates and numbers
"""
