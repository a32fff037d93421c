"""What a feed sends, as text: made safe, made plain, compared.

Its doors:

    html      untrusted HTML → safe HTML, excerpts, links; Markdown → untrusted HTML
    policy    which elements, attributes and addresses are let through
    plain     untrusted text → plain text, language tags
    address   which addresses are web addresses, absolute, or the same
    account   names of people on the social web: acct:user@host, at://name
    media     which files of a post can be played, and what kind they are
    pictures  what kind of picture bytes are, and how large
    headers   header fields of an answer: dates, lifetimes, Retry-After
"""
