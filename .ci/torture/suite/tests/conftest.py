import pytest
from torture import shared


@pytest.fixture(scope="session")
def settings():
    return shared.settings()
