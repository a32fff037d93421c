"""What is known → what becomes of each entry, and why: in a word, and in sentences.

`look` decides as a run does (`select`, `merge`); nobody is asked and nothing is written. `Speaker`
puts a verdict into words, `state` what is known of a feed; `entries` and `feeds` find what an
operator means.
"""

from planet.explain.finding import entries, feeds
from planet.explain.nouns import Answer, Fate, Known, Verdict
from planet.explain.states import state
from planet.explain.terms import Terms
from planet.explain.verdicts import look
from planet.explain.words import Speaker

__all__ = [
    "Answer",
    "Fate",
    "Known",
    "Speaker",
    "Terms",
    "Verdict",
    "entries",
    "feeds",
    "look",
    "state",
]
