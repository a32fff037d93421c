"""Language tags: which way a language runs."""

from __future__ import annotations

# Scripts that run from right to left, and languages usually written in one of them, by primary
# subtag (CLDR, layout/orientation and likely subtags).
_SCRIPTS = frozenset(["adlm", "arab", "aran", "hebr", "mand", "nkoo", "rohg", "syrc", "thaa"])
_LANGUAGES = frozenset(
    [
        *("ar", "arc", "ckb", "dv", "fa", "he", "iw", "ji", "ks"),
        *("mzn", "nqo", "ps", "sd", "syr", "ug", "ur", "yi"),
    ]
)


def direction(language: str) -> str:
    """`rtl` or `ltr`: how the pages of a site in this language run."""
    primary, *others = language.lower().split("-")
    # Of subtags, only scripts are four letters (RFC 5646 §2.1).
    scripts = [each for each in others if len(each) == 4 and each.isalpha()]
    runs_left = scripts[0] in _SCRIPTS if scripts else primary in _LANGUAGES
    return "rtl" if runs_left else "ltr"
