"""Posts → files, and a folder of them.

Its doors:

    pages    an edition → its pages, each drawn only when it is asked for
    feeds    an edition → Atom, JSON Feed, podcast RSS, OPML, digests
    machine  what machines read: planet.json, headers for hosts
    publish  files → a folder: whole files, only the changed ones
    search   an edition → an index of its posts, to look words up in
    words    a language → what is written in it: words, dates
"""
