"""Pure decisions about entries: shown or not, and why.

Its doors:

    select        entries → the wanted ones, and why: filters
    edition       feeds → sources and tags; the picks and the moment of a release
    assemble      entries + rules + now → posts, picks among them, and a reason for each entry
    duplicates    the same entry in several feeds → one, and the other feeds
    digest        posts since the last digest → a digest, when one is due
    links         posts and the links in their texts → who links to whom
"""
