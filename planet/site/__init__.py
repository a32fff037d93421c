"""Store → site: what the entries say together, published where it is not published already.

`gathering` makes the edition, `indexing` what it is searched with, and `publishing` brings the
folder to both.
"""

from planet.site.publishing import check_folders, draw, make_sites, plan

__all__ = ["check_folders", "draw", "make_sites", "plan"]
