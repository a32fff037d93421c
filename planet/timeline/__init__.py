"""What is shown, and why: pure decisions about entries.

Its doors:

    select        entries → the wanted ones, and why: filters
    edition       wanted entries → posts and sources: dates, days, ids, picks, releases
    decide        what has changed → rows: what is shown now, decided when it arrives
    duplicates    the same entry in several feeds → one, and where else it is
    digest        posts since the last → a digest, when its time has come
    links         posts, and what their texts link to → who links to what
    explain       what is known → what becomes of each entry, and why
    explanations  the same in words
"""
