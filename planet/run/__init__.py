"""The whole run, and its parts. Start at `build`.

Its doors:

    build        bring every feed up to date, then publish what they say together
    journal      what is written down while feeds are asked; who could not be reached
    poll         feeds → answers: whose turn it is, asked, read and kept
    ingest       an answer → the store: parsed and cleaned in a worker, then kept
    lists        subscription lists on the web → the feeds on them
    publication  store → sites: chosen, merged, drawn, published
    texts        numbers of entries → their clean texts, made when they are first wanted
    recovery     a lost state ← what the published site says of its entries
    maintain     what nobody needs any more → gone, and the room it took
    peek         an address → the feed there, or the one its page names, and what it says
    runtime      a config → what a run works with, opened
    workers      a pure function → its result, from another process
"""
