"""The kinds of values that picks have: to the letter what feeds say, and what people write."""

# No `from __future__ import annotations`: pydantic reads the annotations when it is run.

import unicodedata
from datetime import UTC, datetime
from re import ASCII, IGNORECASE, fullmatch
from typing import Annotated

from pydantic import AfterValidator, Field, PlainValidator

from planet import address
from planet.config.settings.kinds import Integer, Raw

# What feeds give as an address stays to the letter, see `planet.parse.values.file`.
_VERBATIM = r"https?://[!#-;=?-\[\]-~]+"
# As feeds have them, which is looser than what the config takes.
_LANGUAGE = r"[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*"
_DURATION = r"(?:([0-9]{1,3}):)?([0-9]{1,4}):([0-9]{1,2})"
_EARLIEST, _LATEST = datetime(1970, 1, 1, tzinfo=UTC), datetime(2100, 1, 2, tzinfo=UTC)


def _given(text: str) -> str:
    if not text.strip():
        raise ValueError("must not be empty")
    return text


def _words(text: str) -> str:
    # Otherwise as it is: what `planet pick` wrote says exactly what was picked.
    words = " ".join(text.split()) if text.splitlines() != [text] or "\t" in text else text
    if {"Cc", "Cs"} & set(map(unicodedata.category, words)):
        raise ValueError("has a character in it that cannot be written")
    return _given(words)


def _address(text: str) -> str:
    absolute = address.web(text)
    if absolute is None:
        raise ValueError("must be a web address that begins with https:// or http://")
    return text if fullmatch(_VERBATIM, text, IGNORECASE) else absolute


def _language(tag: str) -> str:
    if not fullmatch(_LANGUAGE, tag, ASCII):
        raise ValueError('must be a language tag such as "en" or "pt-BR", not {said}')
    return tag


def _moment(value: object) -> datetime:
    """A moment in UTC; without a zone, UTC is meant."""
    try:
        if not isinstance(value, str):
            raise ValueError(value)
        moment = datetime.fromisoformat(value.strip())
        moment = moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)
    except (ValueError, OverflowError):
        raise ValueError("must be a date such as 2026-11-22T07:00:00Z, not {said}") from None
    if not _EARLIEST <= moment < _LATEST:
        raise ValueError("must be a date between 1970 and 2100, not {said}")
    return moment


def _seconds(value: object) -> int:
    if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        return value
    match = fullmatch(_DURATION, value.strip(), ASCII) if isinstance(value, str) else None
    if match is None:
        raise ValueError('must be a number of seconds, or "1:02:03" in quotes, not {said}')
    hours, minutes, seconds = (int(group or 0) for group in match.groups())
    return hours * 3600 + minutes * 60 + seconds


Given = Annotated[Raw, AfterValidator(_given)]
Words = Annotated[Raw, AfterValidator(_words)]
Address = Annotated[Raw, AfterValidator(_address)]
Language = Annotated[Raw, AfterValidator(_language)]
Moment = Annotated[datetime, PlainValidator(_moment)]
Seconds = Annotated[int, PlainValidator(_seconds)]
Count = Annotated[Integer, Field(ge=0)]
