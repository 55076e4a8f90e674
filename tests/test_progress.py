"""Bars: told of work, they show it; without their library they say what to install."""

import io
import sys
from contextlib import AbstractContextManager
from functools import partial

import pytest
from rich.console import Console

import tavli_fast as tavli
from tavli_fast.support import progress
from tavli_fast.support.progress import Progress, rich_progress, tqdm_progress


class Terminal(io.StringIO):
    """Text that was shown."""

    def isatty(self) -> bool:
        return True


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """What rich shows of work that takes long enough."""
    shown = Terminal()
    made = partial(Console, file=shown, force_terminal=True)
    monkeypatch.setattr("rich.console.Console", lambda stderr: made())
    monkeypatch.setattr(progress, "BAR_AFTER", 0.0)
    return shown


def test_tqdm_shows_what_it_is_told() -> None:
    shown = io.StringIO()
    with tqdm_progress(file=shown, desc="duel", mininterval=0) as tell:
        for done in (1, 3, 4):
            tell(done, 4)
    for text in ("duel: ", " 1/4 ", " 3/4 ", " 4/4 ", "100%"):
        assert text in shown.getvalue()


def test_tqdm_hears_the_total_late_or_never() -> None:
    shown = io.StringIO()
    with tqdm_progress(file=shown, mininterval=0) as tell:
        tell(5, None)
        assert "5it" in shown.getvalue()
        tell(6, 8)
        assert " 6/8 " in shown.getvalue()
        tell(7, None)
        assert " 7/8 " in shown.getvalue()


def test_tqdm_may_be_told_to_show_nothing() -> None:
    shown = io.StringIO()
    with tqdm_progress(file=shown, disable=True) as tell:
        tell(1, 2)
    assert shown.getvalue() == ""


def test_tqdm_ends_its_line_after_an_error() -> None:
    shown = io.StringIO()

    def work(tell: Progress) -> None:
        tell(1, 2)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), tqdm_progress(file=shown) as tell:
        work(tell)
    assert shown.getvalue().endswith("\n")


def test_rich_shows_what_it_is_told(terminal: Terminal) -> None:
    with rich_progress("duel") as tell:
        tell(1, None)
        tell(1, 4)
        tell(3, 4)
    assert "duel" in terminal.getvalue()
    assert "75%" in terminal.getvalue()


def test_rich_shows_nothing_of_short_work(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress, "BAR_AFTER", 1000.0)
    with rich_progress("duel") as tell:
        tell(1, 4)
    assert "duel" not in terminal.getvalue()


def test_rich_shows_nothing_in_a_pipe(capfd: pytest.CaptureFixture[str]) -> None:
    with rich_progress("duel") as tell:
        tell(1, 4)
    assert capfd.readouterr() == ("", "")


def test_perft_tells_both(terminal: Terminal) -> None:
    shown = io.StringIO()
    fevga = tavli.variant("fevga")
    with tqdm_progress(file=shown) as one, rich_progress("perft") as other:
        fevga.perft(3, progress=one)
        fevga.perft(3, progress=other)
    assert " 22/22 " in shown.getvalue()
    assert "100%" in terminal.getvalue()


@pytest.mark.parametrize(
    ("bar", "module", "extra"),
    [(tqdm_progress(), "tqdm", "progress"), (rich_progress("duel"), "rich", "cli")],
)
def test_a_missing_library_is_named(
    monkeypatch: pytest.MonkeyPatch,
    bar: AbstractContextManager[Progress],
    module: str,
    extra: str,
) -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] == module]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(ImportError, match=rf"needs {module} .*tavli_fast\[{extra}\]"), bar:
        pass
