"""Short texts that need no language: cut headings, monograms, durations."""

from __future__ import annotations

_STOPS = " ,.;:–—-"


def clipped(text: str, limit: int) -> str:
    """The text, or its beginning up to the last blank within the limit and an ellipsis."""
    if len(text) <= limit:
        return text
    kept = text[:limit].rpartition(" ")[0]
    # Chinese and Japanese have no blanks to cut at.
    return (kept if len(kept) > limit // 2 else text[:limit]).rstrip(_STOPS) + "…"


def monogram(title: str) -> str:
    """One or two letters to know a source by: the initials of its first two words.

    One letter where the script has no capitals, for there two of them are not initials.
    """
    initials = [first for word in title.split() if (first := _first_letter(word))]
    if not initials:
        return "·"
    has_capitals = initials[0].lower() != initials[0].upper()
    return "".join(initials[: 2 if has_capitals else 1])


def duration(seconds: int | None) -> str | None:
    """Hours, minutes and seconds, as “1:02:33” or “4:05”; None when unknown."""
    if seconds is None or seconds <= 0:
        return None
    minutes, rest = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def headed(text: str) -> str:
    """The text as a heading: some languages write the names of months small, but not there."""
    return text[:1].title() + text[1:]


def _first_letter(word: str) -> str:
    # Some capitals are two letters (ß, ŉ): the first is enough.
    return next((letter.upper()[0] for letter in word if letter.isalnum()), "")
