"""An address that is written as it should be is taken as it is: the long way leads there, too."""

import string

from hypothesis import given
from hypothesis import strategies as st

from planet.text import address
from tests.properties.hostile import calm

_HOSTS = st.text(string.ascii_lowercase + string.digits + ".-_", min_size=1, max_size=12)
_PATHS = st.text(string.ascii_letters + string.digits + "!#$%&'()*+,/:;=?@[]~._-\\ é", max_size=12)


@calm
@given(st.sampled_from(["http", "https"]), _HOSTS, _PATHS)
def test_an_address_is_alike_in_any_case_of_its_scheme(scheme: str, host: str, path: str) -> None:
    rest = f"://{host}/{path}"

    # In capitals, no address is as it should be.
    assert address.make_absolute(scheme + rest) == address.make_absolute(scheme.upper() + rest)
    if address.make_absolute(scheme + rest):
        assert address.normalize(scheme + rest) == address.normalize(scheme.upper() + rest)
