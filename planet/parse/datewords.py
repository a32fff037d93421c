"""The words in dates, as data: months by how they begin, zones by name, halves of the day."""

from __future__ import annotations

# Three or four letters without accents, as few as tell the months of a language apart. English,
# German, French, Spanish, Italian, Portuguese, Dutch, Scandinavian and Hungarian come first in a
# line; then Polish and Czech, Turkish, Russian, Greek.
_BEGINNINGS = (
    "jan ene gen sty led oca янв ιαν",
    "feb fev lut uno sub фев φεβ",
    "mar mrt maa brez мар μαρ",
    "apr avr abr kwi dub nis апр απρ",
    "may mai maj mei mag kve маи мая μαι",
    "jun juin giu cze cerv haz июн ιουν",
    "jul juil lug lip tem июл ιουλ",
    "aug aou ago sie srp авг αυγ",
    "sep set wrz zar eyl сен σεπ",
    "oct okt out ott paz rij eki окт οκτ",
    "nov lis kas ноя νοε",
    "dec dez dic des gru pro ara дек δεκ",
)
MONTHS = {
    beginning: month
    for month, beginnings in enumerate(_BEGINNINGS, start=1)
    for beginning in beginnings.split()
}

# RFC 822 §5.1 and what else feeds use; a name that is not here is taken for UTC.
_HOURS = {
    -10: "hst",
    -9: "akst",
    -8: "pst pt akdt",
    -7: "pdt mst mt",
    -6: "mdt cst ct",
    -5: "cdt est et",
    -4: "edt ast at",
    -3: "adt brt",
    1: "cet met mez bst west",
    2: "cest mest mesz eet sast",
    3: "eest msk",
    8: "awst sgt hkt",
    9: "jst kst",
    10: "aest",
    11: "aedt",
    12: "nzst",
    13: "nzdt",
}
ZONES = {name: hours for hours, names in _HOURS.items() for name in names.split()}

KOREA = 9
"""Hours ahead of UTC in the only country that writes dates in Korean and has feeds."""

MORNING = "上午|午前|오전"
AFTERNOON = "下午|午後|오후"
