"""What all tests share: both engines, and property tests that draw the same examples every time."""

from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings

# examples are built from a seed, so nothing is gained by shrinking towards small ones
settings.register_profile(
    "fixed",
    derandomize=True,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
settings.load_profile("fixed")


@pytest.fixture(scope="session", autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Tables are kept in a folder of the test run, not in the user's."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TAVLI_FAST_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture(params=["kernel", "reference"])
def engine(request: pytest.FixtureRequest) -> str:
    """Name of an engine; a kernel that cannot be loaded makes the test fail."""
    return request.param
