"""What the variables of a template are made of: nouns of `docs/themes.md`, and none of the model.

Text is plain and is escaped where it is written; `content` alone is HTML, and clean. Addresses are
ready for an `href`: relative to the page, or http and https.
"""

from planet.render.context.frame import (
    FeedLink,
    Moment,
    Page,
    Person,
    Site,
    Slots,
    Tag,
)
from planet.render.context.lists import (
    Digest,
    DigestItem,
    DigestLink,
    DigestSection,
    Linked,
    Month,
    Podcast,
    Year,
)
from planet.render.context.posts import (
    Day,
    Enclosure,
    Group,
    ListName,
    Pick,
    Picked,
    Polls,
    Post,
    Source,
    SourceLink,
    Trouble,
)

__all__ = [
    "Day",
    "Digest",
    "DigestItem",
    "DigestLink",
    "DigestSection",
    "Enclosure",
    "FeedLink",
    "Group",
    "Linked",
    "ListName",
    "Moment",
    "Month",
    "Page",
    "Person",
    "Pick",
    "Picked",
    "Podcast",
    "Polls",
    "Post",
    "Site",
    "Slots",
    "Source",
    "SourceLink",
    "Tag",
    "Trouble",
    "Year",
]
