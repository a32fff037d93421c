"""Texts and addresses of feeds: made safe, made plain, compared.

Doors:

    html      untrusted HTML → safe HTML, excerpts, links; Markdown → untrusted HTML
    policy    which elements, attributes and addresses are let through
    plain     untrusted text → plain text, language tags
    address   which addresses are web addresses, absolute, or the same
    account   names of people on the social web: acct:user@host, at://name
    media     kinds of files, and which files of a post can be played
    pictures  kind and size of a picture, by the bytes
    headers   header fields of an answer: dates, lifetimes, Retry-After
"""
