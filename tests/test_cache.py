"""Arrays in the cache folder: kept, checked, made anew, and what happens when they cannot be."""

import errno
import json
import subprocess
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tavli_fast as tavli
from tavli_fast.engine import bearoff
from tavli_fast.support import cache

ABOUT = {"format": 1, "rule": "of thumb"}
RULES = tavli.variant("portes").rules


class Maker:
    """Makes the same arrays each time and counts how often."""

    def __init__(self) -> None:
        self.times = 0

    def arrays(self) -> dict[str, Any]:
        self.times += 1
        return {"a": np.arange(12, dtype=np.uint16).reshape(3, 4), "b": np.linspace(0, 1, 5)}

    def array(self) -> Any:
        self.times += 1
        return np.arange(12, dtype=np.float32).reshape(3, 4)


@pytest.fixture
def make() -> Maker:
    return Maker()


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache folder that does not exist yet."""
    where = tmp_path / "some" / "where"
    monkeypatch.setenv(cache.VARIABLE, str(where))
    return where


@pytest.fixture
def no_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    """A process that has read no table yet."""
    monkeypatch.setattr(bearoff, "_TABLES", {})
    monkeypatch.setattr(bearoff, "_TWO_SIDED", {})


def same(found: dict[str, Any], expected: dict[str, Any]) -> bool:
    return found.keys() == expected.keys() and all(
        np.array_equal(found[name], expected[name]) and found[name].dtype == expected[name].dtype
        for name in expected
    )


# --- kept


def test_arrays_are_made_once(folder: Path, make: Maker) -> None:
    first = cache.kept("name", ABOUT, make.arrays)
    second = cache.kept("name", ABOUT, make.arrays)
    assert make.times == 1
    assert same(first, second)
    assert [path.name for path in folder.iterdir()] == ["name.npz"]


def test_a_mapped_array_is_made_once(folder: Path, make: Maker) -> None:
    first = cache.kept_mapped("name", ABOUT, make.array)
    second = cache.kept_mapped("name", ABOUT, make.array)
    assert make.times == 1
    assert isinstance(first, np.memmap)
    assert isinstance(second, np.memmap)
    np.testing.assert_array_equal(first, make.array())
    np.testing.assert_array_equal(second, make.array())
    assert sorted(path.name for path in folder.iterdir()) == ["name.json", "name.npy"]


@pytest.mark.parametrize("about", [ABOUT | {"format": 2}, ABOUT | {"rule": "other"}])
def test_another_version_or_rule_is_made_anew(
    folder: Path, make: Maker, about: dict[str, Any]
) -> None:
    cache.kept("name", ABOUT, make.arrays)
    cache.kept_mapped("name", ABOUT, make.array)
    cache.kept("name", about, make.arrays)
    cache.kept_mapped("name", about, make.array)
    assert make.times == 4
    cache.kept("name", about, make.arrays)
    cache.kept_mapped("name", about, make.array)
    assert make.times == 4


def truncate(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-20])


def empty(path: Path) -> None:
    path.write_bytes(b"")


def scribble(path: Path) -> None:
    path.write_bytes(b"no array at all" * 40)


def replace_by_an_array(path: Path) -> None:
    with path.open("wb") as file:
        np.save(file, np.arange(3))


def replace_by_an_archive(path: Path) -> None:
    with path.open("wb") as file:
        np.savez(file, a=np.arange(3))


def flip_a_bit_inside(path: Path) -> None:
    """Of the last quarter of what is stored, where the numbers of an .npy are."""
    data = bytearray(path.read_bytes())
    data[-len(data) // 8] ^= 4
    path.write_bytes(data)


def remove(path: Path) -> None:
    path.unlink()


DAMAGE = [truncate, empty, scribble, replace_by_an_array, replace_by_an_archive, remove]


@pytest.mark.parametrize("damage", DAMAGE)
def test_damaged_files_are_made_anew(
    folder: Path, make: Maker, damage: Callable[[Path], None]
) -> None:
    expected = make.arrays()
    cache.kept("name", ABOUT, make.arrays)
    damage(folder / "name.npz")
    assert same(cache.kept("name", ABOUT, make.arrays), expected)
    assert make.times == 3
    assert same(cache.kept("name", ABOUT, make.arrays), expected)
    assert make.times == 3


@pytest.mark.parametrize("damage", [*DAMAGE, flip_a_bit_inside])
@pytest.mark.parametrize("ending", ["npy", "json"])
def test_damaged_mapped_files_are_made_anew(
    folder: Path, make: Maker, damage: Callable[[Path], None], ending: str
) -> None:
    expected = make.array()
    cache.kept_mapped("name", ABOUT, make.array)
    damage(folder / f"name.{ending}")
    for _ in range(2):
        np.testing.assert_array_equal(cache.kept_mapped("name", ABOUT, make.array), expected)
    assert make.times == 3


def test_every_flipped_byte_is_noticed(folder: Path, make: Maker) -> None:
    """Or does no harm: whatever is read from a damaged archive is what was written."""
    expected = make.arrays()
    cache.kept("name", ABOUT, make.arrays)
    path = folder / "name.npz"
    sound = path.read_bytes()
    for i in range(0, len(sound), 7):
        path.write_bytes(sound[:i] + bytes([sound[i] ^ 0x55]) + sound[i + 1 :])
        assert same(cache.kept("name", ABOUT, make.arrays), expected)
    assert make.times > 50


def test_changed_numbers_with_a_sound_archive_are_noticed(folder: Path, make: Maker) -> None:
    """The archive's own check sums are not enough."""
    cache.kept("name", ABOUT, make.arrays)
    path = folder / "name.npz"
    with np.load(path) as file:
        contents = {name: file[name] for name in file.files}
    contents["a"][1, 1] += 1
    np.savez(path, **contents)
    assert cache.kept("name", ABOUT, make.arrays)["a"][1, 1] == 5
    assert make.times == 2


# --- not kept


def kept_with_a_warning(make: Maker, message: str) -> None:
    with pytest.warns(RuntimeWarning, match=message):
        assert same(cache.kept("name", ABOUT, make.arrays), make.arrays())
    with pytest.warns(RuntimeWarning, match=message):
        np.testing.assert_array_equal(cache.kept_mapped("name", ABOUT, make.array), make.array())


def test_a_folder_that_cannot_be_made(folder: Path, make: Maker) -> None:
    folder.parent.parent.mkdir(exist_ok=True)
    folder.parent.write_text("a file in the place of a folder")
    kept_with_a_warning(make, "used from memory.*cannot be written")


def test_a_full_disk_leaves_nothing_behind(
    folder: Path, make: Maker, monkeypatch: pytest.MonkeyPatch
) -> None:
    def half(file: Any, *arrays: Any, **named: Any) -> None:
        file.write(b"half of it")
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(np, "savez", half)
    monkeypatch.setattr(np, "save", half)
    kept_with_a_warning(make, "No space left")
    assert list(folder.iterdir()) == []


def test_a_full_disk_keeps_the_file_that_was_there(
    folder: Path, make: Maker, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache.kept("name", ABOUT, make.arrays)
    before = (folder / "name.npz").read_bytes()

    def fail(*anything: Any) -> None:
        raise OSError(errno.EROFS, "Read-only file system")

    monkeypatch.setattr(cache.os, "replace", fail)
    with pytest.warns(RuntimeWarning, match="Read-only"):
        cache.kept("name", ABOUT | {"format": 2}, make.arrays)
    assert (folder / "name.npz").read_bytes() == before
    assert len(list(folder.iterdir())) == 1


def test_without_platformdirs_and_variable(make: Maker, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(cache.VARIABLE, raising=False)
    monkeypatch.setitem(sys.modules, "platformdirs", None)
    assert cache.folder() is None
    kept_with_a_warning(make, r"pip install \"tavli_fast\[cache\]\"\) or set TAVLI_FAST_CACHE")
    assert cache.clear(["name"]) == []


def test_the_folder_of_the_system(monkeypatch: pytest.MonkeyPatch) -> None:
    platformdirs = pytest.importorskip("platformdirs", reason="optional: the extra 'cache'")
    monkeypatch.delenv(cache.VARIABLE, raising=False)
    assert cache.folder() == Path(platformdirs.user_cache_dir("tavli_fast", appauthor=False))
    monkeypatch.setenv(cache.VARIABLE, "/some/where/else")
    assert cache.folder() == Path("/some/where/else")


# --- tables


def test_tables_are_read_back_as_they_were_built(folder: Path, no_tables: None) -> None:
    rule = bearoff.rule_of(RULES)
    built = bearoff.table(RULES)
    bearoff._TABLES.clear()
    read = bearoff.table(RULES, progress=lambda done, of: pytest.fail("it was built again"))
    assert read is not built
    for one, other in zip(
        (built.following, *built.arrays), (read.following, *read.arrays), strict=True
    ):
        np.testing.assert_array_equal(one, other)
        assert one.dtype == other.dtype
    two = bearoff.two_sided(RULES)
    assert {(file.rule, file.sides) for file in bearoff.stored()} == {(rule, 1), (rule, 2)}
    assert sum(file.size for file in bearoff.stored()) < 20e6
    cleared = bearoff.clear()
    assert {path.suffix for path in cleared} == {".npz", ".npy", ".json"}
    assert list(folder.iterdir()) == []
    assert bearoff.stored() == []
    np.testing.assert_array_equal(bearoff.two_sided(RULES), two)


def test_tables_of_another_format_are_built_again(
    folder: Path, no_tables: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    bearoff.table(RULES)
    bearoff._TABLES.clear()
    monkeypatch.setattr(bearoff, "FORMAT", bearoff.FORMAT + 1)
    told: list[int] = []
    bearoff.table(RULES, progress=lambda done, of: told.append(done))
    assert told


def test_a_table_that_cannot_be_kept_is_used_from_memory(folder: Path, no_tables: None) -> None:
    folder.parent.parent.mkdir(exist_ok=True)
    folder.parent.write_text("a file in the place of a folder")
    with pytest.warns(RuntimeWarning, match="used from memory"):
        race = tavli.Position.parse("portes", own="6", opp="24").race()
    assert race.win == 0.75
    with warnings.catch_warnings():  # it is told once
        warnings.simplefilter("error")
        tavli.Position.parse("portes", own="6", opp="24").race()


TWO_AT_ONCE = """
import warnings
warnings.simplefilter("error")
import tavli_fast as tavli
from tavli_fast.engine import bearoff
rules = tavli.variant("portes").rules
input()
print(bearoff.table(rules).mean[-1], bearoff.two_sided(rules)[6, 6])
"""


def test_processes_that_build_at_once(folder: Path, no_tables: None) -> None:
    """All have the table, none a warning, and what is left is sound."""
    started = [
        subprocess.Popen(
            [sys.executable, "-c", TWO_AT_ONCE],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in range(3)
    ]
    for process in started:
        assert process.stdin is not None
        process.stdin.write("\n")
        process.stdin.flush()
    said = [process.communicate() for process in started]
    assert [process.returncode for process in started] == [0, 0, 0], said
    assert len(set(said)) == 1
    assert not list(folder.glob(".*"))
    about = json.loads((folder / f"{bearoff._file(2, bearoff.rule_of(RULES))}.json").read_text())
    assert about["format"] == bearoff.FORMAT
    bearoff.table(RULES, progress=lambda done, of: pytest.fail("the file is not sound"))
