"""The plays of every variant are those that the stored signatures were made from."""

import json

import pytest
from signature import DATA, signature

import tavli_fast as tavli

STORED = json.loads(DATA.read_text())


@pytest.mark.parametrize("name", tavli.variants())
def test_signature(name):
    assert signature(name) == STORED[name]


def test_signatures_are_those_of_the_variants():
    assert list(STORED) == tavli.variants()
