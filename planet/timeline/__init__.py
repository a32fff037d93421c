"""What is shown, and why: pure decisions about entries.

Its doors:

    select        entries → the wanted ones, and why: filters
    edition       feeds → sources and tags; the picks and the moment of a release
    assemble      entries + rules + now → posts, picks among them, and a reason for each entry
    duplicates    the same entry in several feeds → one, and where else it is
    digest        posts since the last → a digest, when its time has come
    links         posts, and what their texts link to → who links to what
"""
