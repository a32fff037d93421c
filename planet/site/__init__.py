"""Store → site: what the entries say together, published where it is not published already.

`gathering` makes the edition, `publishing` brings the folder to it.
"""

from planet.site.publishing import draw, make_site, plan

__all__ = ["draw", "make_site", "plan"]
