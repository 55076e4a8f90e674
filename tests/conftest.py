"""What all tests share: both engines, and property tests that draw the same examples every time."""

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


@pytest.fixture(params=["kernel", "reference"])
def engine(request: pytest.FixtureRequest) -> str:
    """Name of an engine; a kernel that cannot be loaded makes the test fail."""
    return request.param
