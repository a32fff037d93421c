"""Rows of pages → nouns of templates: what a page says of posts and moments, and where pages are.

This is the last door before a page. Whatever came through the earlier ones, an address that leaves
here is a relative one of ours or begins with http:// or https:// (`href`), or leads to a mail that
the operator allows.
"""

from __future__ import annotations

import datetime as dt
import math
import re
import unicodedata
from bisect import bisect
from calendar import Calendar
from itertools import filterfalse, groupby
from typing import TYPE_CHECKING
from zlib import crc32

import msgspec
from markupsafe import Markup
from msgspec.structs import replace

from planet.model import ContentMode, with_short_addresses
from planet.site.pages import views
from planet.site.pages.readable import (
    make_readable,
    strip_to_letters,
    without_title,
)
from planet.site.pages.rows import SourceName
from planet.text import address, media, profiles

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from zoneinfo import ZoneInfo

    from planet import model
    from planet.site.pages.rows import (
        DayCount,
        DayPlace,
        DayRest,
        DigestName,
        PagePlace,
        PostRows,
        SourceDetails,
        SourceHealth,
    )
    from planet.site.words import Words

    Month = tuple[int, int]


ROLL_UP = 4
"""From how many posts of one source in a day all but the newest are folded away."""
FILM = "film.svg"
"""Of a theme's files, the picture that films show before they are loaded."""
HUES = 6
"""How many colours of monograms there are."""

_HEADING_LENGTH = 250
# Three lines of a wide column; what is longer would be sent and not shown.
_EXCERPT_LENGTH = 280
_AUTHORS = 3
# RFC 5646 §2.1, loosely: feeds also say "English" or "en_US", which no browser understands.
_LANGUAGE = re.compile(r"[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8})*")


class Presenter(msgspec.Struct, frozen=True, kw_only=True):
    """Makes the nouns of templates, as one page shows them: with addresses relative to it."""

    root: str
    """From the page to the site's root: empty, or ending in a slash."""
    link: str | None
    """The site's own address, where it is known."""
    film: str | None
    """The picture that films show before they are loaded, where the theme has one."""
    zone: ZoneInfo
    words: Words
    _links: dict[SourceName, views.SourceLinkView] = {}

    def moment(self, when: dt.datetime) -> views.MomentView:
        """Present a point in time, in the planet's zone."""
        try:
            local = when.astimezone(self.zone)
        except OverflowError:  # feeds do date entries in the years 1 and 9999
            local = when
        return views.MomentView(
            iso=local.isoformat(timespec="seconds"),
            date=self.words.date(local),
            time=self.words.time(local),
            full=self.words.both(local),
        )

    def maybe(self, when: dt.datetime | None) -> views.MomentView | None:
        """Present a point in time, if there is one."""
        return self.moment(when) if when else None

    def source_link(self, source: SourceName) -> views.SourceLinkView:
        """Present a source as it stands beside its posts."""
        link = self._links.get(source)
        if link is None:
            name = source.slug or source.title
            link = self._links[source] = views.SourceLinkView(
                title=source.title,
                href=self.root + source.page if source.slug else href(source.home),
                monogram=monogram(source.title),
                hue=crc32(name.encode("utf-8", "replace")) % HUES,
                home=href(source.home),
                extra=dict(source.extra),
                image=self.root + source.face if source.face else None,
            )
        return link

    def tag(self, tag: model.Tag) -> views.TagView:
        """Present a tag with its page."""
        return views.TagView(name=tag.name, href=f"{self.root}{tag.folder}index.html")

    def source(self, source: SourceDetails, posts: Iterable[model.Post] = ()) -> views.SourceView:
        """Present a source with what changes seldom, and with these posts."""
        link = self.source_link(source.name)
        return views.SourceView(
            title=link.title,
            href=self.root + source.name.page,
            monogram=link.monogram,
            hue=link.hue,
            image=link.image,
            home=href(source.link),
            links=tuple(filter(None, map(self._profile_link, source.links))),
            extra=link.extra,
            description=source.description,
            newest=self.maybe(source.newest),
            count=source.posts,
            trouble=self._trouble(source),
            is_archived=source.is_archived,
            quiet_since=self.maybe(source.quiet_since),
            moved_to=href(source.moved_to),
            tags=tuple(map(self.tag, source.tags)),
            posts=tuple(map(self.post, posts)),
        )

    def _profile_link(self, link: model.ProfileLink) -> views.ProfileLinkView | None:
        if profiles.is_mail(link.url):
            return views.ProfileLinkView(name=self.words.email, href=link.url, is_mail=True)
        url, service = href(link.url), profiles.find_service(link.name)
        name = service.label if service else link.name
        return views.ProfileLinkView(name=name, href=url, is_mail=False) if url else None

    def source_health(self, source: SourceHealth) -> views.PolledSourceView:
        """Present a source with how its feed fares and when it is requested."""
        health = source.health
        return views.PolledSourceView(
            title=source.name.title,
            href=self.root + source.name.page,
            trouble=self._trouble(health),
            is_archived=health.is_archived,
            quiet_since=self.maybe(health.quiet_since),
            moved_to=href(health.moved_to),
            polls=self._polls(health),
        )

    def letters(
        self, sources: Iterable[views.SourceView], *, is_parted: bool
    ) -> tuple[views.LetterView, ...]:
        """Order sources by title, and part them by the first letter if `is_parted`."""
        ordered = sorted(sources, key=lambda source: (letter(source.title), _plain(source.title)))
        if not is_parted:
            return (views.LetterView(name=None, id=None, sources=tuple(ordered)),)
        return tuple(
            views.LetterView(
                name=name, id=f"letter-{name}".replace("#", "0"), sources=tuple(parted)
            )
            for name, parted in groupby(ordered, lambda source: letter(source.title))
        )

    def post(
        self,
        post: model.Post,
        content: model.Html | None = None,
        pick: views.PickView | None = None,
        picture: str | None = None,
    ) -> views.PostView:
        """Present as much of a post as its source's content mode lets be shown."""
        entry, source = post.entry, post.source
        more = source.content is not ContentMode.TITLE
        picked = None
        if own := post.picked:
            picked = views.PickedView(note=own.note, published=self.maybe(own.published))
        return views.PostView(
            heading=clip(entry.heading, _HEADING_LENGTH),
            is_note=more and entry.is_note,
            href=href(entry.link),
            language=language_tag(entry.language or source.language),
            source=self.source_link(SourceName.of(source)),
            authors=_authors(post),
            when=self.moment(post.when),
            excerpt=_excerpt(entry) if more else None,
            # Nowhere else does text become HTML; this is the cleaner's.
            content=Markup(self._read(content, post)) if more and content else None,  # noqa: S704
            picture=href(picture),
            enclosures=_enclosures(entry.enclosures, self.words) if more else (),
            also_in=tuple(self.source_link(SourceName.of(other)) for other in post.also_in),
            in_reply_to=tuple(_make_answered(entry)) if more else (),
            picked=picked,
            pick=pick,
        )

    def playable(self, playable: media.Playable, pick: views.PickView | None) -> views.PostView:
        """Present a post with the one file that players get, whatever its source's content mode."""
        post = self.post(playable.post, pick=pick)
        return replace(post, enclosures=_enclosures([playable.enclosure], self.words))

    def digest(self, digest: model.Digest) -> views.DigestView:
        """Present a digest with all that it tells."""
        return views.DigestView(
            date=self.moment(digest.due_at).date,
            since=self.moment(digest.since),
            until=self.moment(digest.made_at),
            count=digest.count,
            sections=tuple(map(_section, digest.sections)),
        )

    def digest_link(self, digest: DigestName) -> views.DigestLinkView:
        """Present a digest where it is listed."""
        due = self.moment(digest.due_at)
        path = f"{self.root}digest/{digest.name}/index.html"
        return views.DigestLinkView(iso=due.iso, date=due.date, href=path, count=digest.posts)

    def year(self, number: int, months: Mapping[Month, int], most: int) -> views.YearView:
        """Present a year with its months and how many posts each has, of `most` in any month."""
        shown = {month: self.month(month, count, most) for month, count in months.items()}
        return views.YearView(
            number=number,
            href=self.root + year_path(number),
            count=sum(months.values()),
            months=tuple(shown.values()),
            columns=tuple(shown.get((number, month)) for month in range(1, 13)),
        )

    def month(self, month: Month, count: int, most: int) -> views.MonthView:
        """Present a month with so many posts, of `most` in any month."""
        return views.MonthView(
            name=self.words.month(*month),
            short=self.words.short_month(month[1]),
            href=self.root + month_path(month),
            count=count,
            tint=tint(count, most),
        )

    def period(self, place: DayPlace) -> views.PeriodView:
        """Present a day in the archive: its own page, or its part of its month's."""
        day = place.day
        if place.has_page:
            name = number_title(self.words.date(day), place.number)
            return views.PeriodView(name=name, href=self.root + day_path(day, place.number))
        month = self.month_period((day.year, day.month))
        return replace(month, href=f"{month.href}#{day.isoformat()}")

    def page_period(self, place: PagePlace) -> views.PeriodView:
        """Present a page that another one leads on to."""
        return views.PeriodView(name=place.title, href=self.root + place.path)

    def month_period(self, month: Month) -> views.PeriodView:
        """Present the page of a month."""
        return views.PeriodView(name=self.words.month(*month), href=self.root + month_path(month))

    def almanac(self, number: int, days: Iterable[DayCount]) -> tuple[views.CalendarView, ...]:
        """Lay out the twelve months of a year; days with posts lead to these."""
        counts = {day.place.day: day for day in days}
        most = max((day.posts for day in counts.values()), default=0)
        return tuple(
            replace(
                self._calendar((number, month), counts, most),
                name=self.words.month_name(month),
                href=self.root + month_path((number, month))
                if any(day.month == month for day in counts)
                else None,
            )
            for month in range(1, 13)
        )

    def calendar(self, month: Month, days: Iterable[DayCount]) -> views.CalendarView:
        """Lay out a month; days with posts lead to these."""
        counts = {day.place.day: day for day in days}
        return self._calendar(month, counts, max(day.posts for day in counts.values()))

    def _calendar(
        self, month: Month, counts: Mapping[dt.date, DayCount], most: int
    ) -> views.CalendarView:
        calendar = Calendar(self.words.first_weekday)
        # The first of January 2024 was a Monday.
        columns = [dt.date(2024, 1, 1 + weekday) for weekday in calendar.iterweekdays()]
        weeks = tuple(
            tuple(
                self._in_calendar(dt.date(*month, day), counts, most) if day else None
                for day in week
            )
            for week in calendar.monthdayscalendar(*month)
        )
        return views.CalendarView(
            name=self.words.month(*month),
            href=self.root + month_path(month),
            weekdays=tuple(
                views.WeekdayView(name=self.words.weekday(day), short=self.words.short_weekday(day))
                for day in columns
            ),
            weeks=weeks,
            count=sum(day.count for week in weeks for day in week if day),
        )

    def _in_calendar(
        self, day: dt.date, counts: Mapping[dt.date, DayCount], most: int
    ) -> views.CalendarDayView:
        counted = counts.get(day)
        posts = counted.posts if counted else 0
        return views.CalendarDayView(
            number=day.day,
            iso=day.isoformat(),
            href=self.period(counted.place).href if counted else None,
            count=posts,
            tint=tint(posts, most),
        )

    def days(
        self,
        rows: PostRows,
        counts: Mapping[dt.date, int] | None = None,
    ) -> tuple[views.DayView, ...]:
        """Present posts, newest first, by day; within a day by source, the newest first again.

        With `counts`, each day has a page of its own with so many posts.
        """
        posts = rows.read()
        texts, pictures = rows.read_texts(posts), rows.read_pictures(posts)
        rest_of = {day.place.day: day for day in rows.rest}
        days = []
        for day, of_day in groupby(posts, lambda post: post.day):
            view = self._day(day, of_day, texts, pictures, rest_of.get(day))
            if counts:
                more = counts[day] - len(view.posts)
                view = replace(view, href=self.root + day_path(day), more=more)
            days.append(view)
        return tuple(days)

    def _day(
        self,
        day: dt.date,
        posts: Iterable[model.Post],
        texts: Mapping[int, model.Html],
        pictures: Mapping[int, str],
        rest: DayRest | None,
    ) -> views.DayView:
        more = dict(rest.sources) if rest else {}
        by_source: dict[str, list[views.PostView]] = {}
        shown = []
        for post in posts:
            number = post.entry.number
            view = self.post(post, texts.get(number), picture=pictures.get(number))
            shown.append(view)
            by_source.setdefault(post.source.key, []).append(view)
        return views.DayView(
            iso=day.isoformat(),
            weekday=self.words.weekday(day),
            date=self.words.date(day),
            href=self.period(rest.place).href if rest else None,
            more=rest.posts if rest else 0,
            posts=tuple(shown),
            groups=tuple(_group(posts, more.get(key, 0)) for key, posts in by_source.items()),
        )

    def _read(self, content: model.Html, post: model.Post) -> str:
        title = "" if post.entry.is_note else post.entry.heading
        return make_readable(content, title=title, film=self.film, words=self.words)

    def _polls(self, health: model.FeedHealth) -> views.PollsView | None:
        if health.asked_at is None:
            return None
        every = because = due_at = None
        # Without a wait it is asked in every run, and there is nothing to explain.
        if (reason := health.due_reason) and health.wait:
            every, because = self.words.every(health.wait, reason), self.words.because(reason)
            due_at = health.due_at
        return views.PollsView(
            answered=self.maybe(health.answered_at),
            every=every,
            next=self.maybe(due_at),
            because=because,
        )

    def _trouble(self, health: model.FeedHealth | SourceDetails) -> views.TroubleView | None:
        if health.given_up:
            reason, since = self.words.why_given_up(health.given_up), health.given_up_at
        elif health.trouble:
            reason, since = health.trouble, health.trouble_since
        else:
            return None
        final = health.given_up is not None
        return views.TroubleView(reason=reason, since=self.maybe(since), final=final)


def href(url: str | None) -> str | None:
    """Return an address that may stand in a page, or None when it is not one of the web."""
    # Addresses in the model are absolute already; to take each apart again costs more than the
    # rest of its post.
    if url is None or url.startswith(("https://", "http://")):
        return url
    return address.make_absolute(url)


TINTS = 4
"""How many tints a calendar has for days and months with posts."""
_MANY = 5
"""Posts for the strongest tint at least: in a calm year, a day with one post is no busy day."""


def tint(count: int, most: int) -> int:
    """Return how strongly a part of a calendar is tinted: 0 without posts, 4 for the most.

    The steps are those of the logarithm, so that one busy day does not make all others pale.
    """
    if not count:
        return 0
    return 1 + round((TINTS - 1) * math.log(count) / math.log(max(most, _MANY)))


def year_path(number: int) -> str:
    """Return where the page of a year is."""
    return f"{number:04}/index.html"


def month_path(month: Month) -> str:
    """Return where the page of a month is."""
    return f"{month[0]:04}/{month[1]:02}/index.html"


def day_path(day: dt.date, number: int | None = None) -> str:
    """Return where the page of a day is, or one of its older posts."""
    return number_path(f"{day.year:04}/{day.month:02}/{day.day:02}/", number)


def number_path(folder: str, number: int | None) -> str:
    """Return where the page of a folder is, or one of older posts in it."""
    return f"{folder}{number}/index.html" if number else f"{folder}index.html"


def number_title(title: str, number: int | None) -> str:
    """Return the title of a page, which says the number of one of older posts."""
    return f"{title} ({number})" if number else title


def _section(section: model.DigestSection) -> views.DigestSectionView:
    return views.DigestSectionView(
        title=section.source,
        home=href(section.link),
        items=tuple(
            views.DigestItemView(
                heading=item.heading or None, href=href(item.link), summary=item.summary
            )
            for item in section.items
        ),
    )


def _group(posts: list[views.PostView], more: int) -> views.GroupView:
    shown = 1 if len(posts) >= ROLL_UP else len(posts)
    return views.GroupView(
        source=posts[0].source, shown=tuple(posts[:shown]), folded=tuple(posts[shown:]), more=more
    )


def language_tag(tag: str | None) -> str | None:
    """Return the tag of a language that a browser may understand; None for any other text."""
    return tag if tag and _LANGUAGE.fullmatch(tag) else None


def _authors(post: model.Post) -> tuple[str, ...]:
    """Return the names of its authors, without those that are the name of its source."""
    if not post.entry.authors:
        return ()
    source = strip_to_letters(post.source.title)
    names = [person.name for person in post.entry.authors if person.name]
    return tuple([name for name in names if strip_to_letters(name) != source][:_AUTHORS])


_ANSWERS = "↩"


def _make_answered(entry: model.Entry) -> Iterator[views.AnsweredView]:
    """Yield the posts that an entry answers, unless its words begin with them, as on Bluesky."""
    if (entry.summary or "").startswith(_ANSWERS):
        return
    for url in entry.in_reply_to:
        if link := href(url):
            yield views.AnsweredView(title=with_short_addresses(url), href=link)


def _excerpt(entry: model.Entry) -> str | None:
    """Return the beginning of its text; of a note all that is kept, which is seldom longer."""
    if not entry.summary or entry.summary == entry.title:
        return None
    if entry.is_note:
        return with_short_addresses(entry.summary)
    return clip(without_title(entry.summary, entry.heading), _EXCERPT_LENGTH)


def _enclosures(
    enclosures: Iterable[model.Enclosure], words: Words
) -> tuple[views.EnclosureView, ...]:
    return tuple(
        views.EnclosureView(
            kind=_kind(enclosure.media_type),
            href=url,
            media_type=enclosure.media_type,
            title=enclosure.title,
            size=words.size(enclosure.length),
            duration=duration(enclosure.duration),
        )
        for enclosure in enclosures
        # What is a picture is shown with the text.
        if not media.is_picture(enclosure) and (url := href(enclosure.url))
    )


def _kind(media_type: str | None) -> str:
    kind = (media_type or "").partition("/")[0].lower()
    return kind if kind in {"audio", "video"} else "file"


_STOPS = " ,.;:–—-"


def clip(text: str, limit: int) -> str:
    """Cut a text at the last blank within the limit, with an ellipsis, if it is longer."""
    if len(text) <= limit:
        return text
    kept = text[:limit].rpartition(" ")[0]
    # Chinese and Japanese have no blanks to cut at.
    return (kept if len(kept) > limit // 2 else text[:limit]).rstrip(_STOPS) + "…"


def monogram(title: str) -> str:
    """Return one or two letters to know a source by: the initials of its first two words.

    One letter where the script has no capitals, for there two of them are not initials.
    """
    initials = [first for word in title.split() if (first := _first_letter(word))]
    if not initials:
        return "·"
    has_capitals = initials[0].lower() != initials[0].upper()
    return "".join(initials[: 2 if has_capitals else 1])


_JAMO = "ㄱㄲㄴㄷㄸㄹㅁㅂㅃㅅㅆㅇㅈㅉㅊㅋㅌㅍㅎ"
_KANA, _FIRST_KANA = "あかさたなはまやらわ", "ぁかさたなはまゃらゎ"


def letter(title: str) -> str:
    """Return what a title is found under in a list: its first letter, in its plainest form.

    Kana by their row, Hangul by the consonant, all Chinese characters under one sign (there is no
    order of them that readers of Chinese and of Japanese share), numbers and what has no letter
    under "#".
    """
    first = (_plain(title)[:1] or "#").upper()[0]
    if "\u30a1" <= first <= "\u30fa":
        first = chr(ord(first) - 0x60)
    if "\u3041" <= first <= "\u3096":
        return _KANA[bisect(_FIRST_KANA, first) - 1]
    if "\u1100" <= first <= "\u1112":
        return _JAMO[ord(first) - 0x1100]
    if unicodedata.name(first, "").startswith("CJK"):
        return "字"
    return first if first.isalpha() else "#"


def _plain(title: str) -> str:
    """Return what a title is sorted by: no capitals or accents, nothing before its letters."""
    plain = unicodedata.normalize("NFKD", title.casefold())
    return re.sub(r"^[\W_]+", "", "".join(filterfalse(unicodedata.combining, plain)))


def duration(seconds: int | None) -> str | None:
    """Write hours, minutes and seconds, as “1:02:33” or “4:05”; None when unknown."""
    if seconds is None or seconds <= 0:
        return None
    minutes, rest = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def as_heading(text: str) -> str:
    """Write a text as a heading: some languages write the names of months small elsewhere."""
    return text[:1].title() + text[1:]


def _first_letter(word: str) -> str:
    # Some capitals are two letters (ß, ŉ): the first is enough.
    return next((letter.upper()[0] for letter in word if letter.isalnum()), "")
