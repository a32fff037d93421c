"""The categories of Apple Podcasts, and what may be written for one.

https://podcasters.apple.com/support/1691-apple-podcasts-categories, as of 2026.
"""

from __future__ import annotations

from difflib import get_close_matches
from typing import Final

_SUBCATEGORIES: Final = {
    "Arts": "Books, Design, Fashion & Beauty, Food, Performing Arts, Visual Arts",
    "Business": "Careers, Entrepreneurship, Investing, Management, Marketing, Non-Profit",
    "Comedy": "Comedy Interviews, Improv, Stand-Up",
    "Education": "Courses, How To, Language Learning, Self-Improvement",
    "Fiction": "Comedy Fiction, Drama, Science Fiction",
    "Government": "",
    "History": "",
    "Health & Fitness": "Alternative Health, Fitness, Medicine, Mental Health, Nutrition, "
    "Sexuality",
    "Kids & Family": "Education for Kids, Parenting, Pets & Animals, Stories for Kids",
    "Leisure": "Animation & Manga, Automotive, Aviation, Crafts, Games, Hobbies, Home & Garden, "
    "Video Games",
    "Music": "Music Commentary, Music History, Music Interviews",
    "News": "Business News, Daily News, Entertainment News, News Commentary, Politics, "
    "Sports News, Tech News",
    "Religion & Spirituality": "Buddhism, Christianity, Hinduism, Islam, Judaism, Religion, "
    "Spirituality",
    "Science": "Astronomy, Chemistry, Earth Sciences, Life Sciences, Mathematics, "
    "Natural Sciences, Nature, Physics, Social Sciences",
    "Society & Culture": "Documentary, Personal Journals, Philosophy, Places & Travel, "
    "Relationships",
    "Sports": "Baseball, Basketball, Cricket, Fantasy Sports, Football, Golf, Hockey, Rugby, "
    "Running, Soccer, Swimming, Tennis, Volleyball, Wilderness, Wrestling",
    "Technology": "",
    "True Crime": "",
    "TV & Film": "After Shows, Film History, Film Interviews, Film Reviews, TV Reviews",
}
ALL: Final = frozenset(_SUBCATEGORIES) | {
    f"{category} > {name}"
    for category, names in _SUBCATEGORIES.items()
    for name in filter(None, names.split(", "))
}
"""Every category, a subcategory after its category."""


def checked(text: str) -> str:
    """A category as `Podcast` has it.

    Raises:
        ValueError: there is none of this name.
    """
    said = " > ".join(part.strip() for part in text.split(">"))
    if said in ALL:
        return said
    near = get_close_matches(said, sorted(ALL), n=1)
    hint = f'; did you mean "{near[0]}"?' if near else ""
    raise ValueError(
        'must be a category of Apple Podcasts such as "Arts" or "Arts > Books", not {said}' + hint
    )
