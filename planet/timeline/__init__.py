"""What is shown, and why: pure decisions about entries.

Its doors:

    select        entries → the wanted ones, and why: filters
    edition       wanted entries → posts and sources: dates, days, ids, picks, releases
    assemble      entries + rules + now → posts, each with its reason: the two above in one call
    duplicates    the same entry in several feeds → one, and where else it is
    digest        posts since the last → a digest, when its time has come
    links         posts, and what their texts link to → who links to what
"""
