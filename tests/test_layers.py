"""How the package is built: who imports whom, what it needs, and whether its examples run."""

import ast
import doctest
import importlib
import re
import subprocess
import sys
from pathlib import Path

import pytest

import tavli_fast as tavli

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "tavli_fast"

# each module may import those before it
ORDER = [
    "errors",
    "rules",
    "streams",
    "rows",
    "encode",
    "arguments",
    "extras",
    "files",
    "archives",
    "tables",
    "executors",
    "checkpoints",
    "progress",
    "ids",
    "gnubg",
    "reference",
    "live",
    "pips",
    "reference_games",
    "cache",
    "bearoff",
    "variant",
    "policy",
    "network",
    "onnx_model",
    "policies",
    "choosing",
    "games",
    "drawing",
    "svg",
    "notation",
    "paths",
    "illegal",
    "play",
    "position_text",
    "turn",
    "position",
    "game",
    "match",
    "sums",
    "findings",
    "runs",
    "blocks",
    "selfplay",
    "plots",
    "results",
    "rollout",
    "duel",
    "records",
    "mat",
    "peers",
    "benchmark",
    "charts",
    "cli_options",
    "cli_output",
    "cli_boards",
    "cli_play",
    "cli_runs",
    "cli_races",
    "cli",
    "__main__",
]
# for methods that hand out the class above: inside a function, or for its type alone
UPWARD = {("variant", "position"), ("play", "position"), ("turn", "position")}
# only these bind rules or weights to kernels, when one is asked for
KERNELS = {("variant", "_kernels"), ("network", "_kernels"), ("bearoff", "_kernels")}

MODULES = sorted(path.stem for path in PACKAGE.glob("*.py"))
EXAMPLES = doctest.ELLIPSIS | doctest.REPORT_UDIFF


def imported(node: ast.AST) -> list[str]:
    """Modules of the package that one statement imports."""
    if isinstance(node, ast.Import):
        names = [alias.name.split(".") for alias in node.names]
        return [(name[1:] or ["__init__"])[0] for name in names if name[0] == "tavli_fast"]
    if not isinstance(node, ast.ImportFrom):
        return []
    assert node.level <= 1, "an import from above the package"
    path = (node.module or "").split(".") if node.module else []
    if node.level == 0:
        if path[0] != "tavli_fast":
            return []
        path = path[1:]
    return [path[0]] if path else [alias.name for alias in node.names]


def parsed(module: str) -> ast.Module:
    """The syntax tree of a module."""
    return ast.parse((PACKAGE / f"{module}.py").read_text("utf-8"))


def imports(module: str) -> set[tuple[str, str]]:
    """Pairs of a module and what it imports of the package, anywhere in it."""
    return {(module, name) for node in ast.walk(parsed(module)) for name in imported(node)}


def imports_when_loaded(module: str) -> set[tuple[str, str]]:
    """Those that run when the module is imported."""
    return {(module, name) for node in parsed(module).body for name in imported(node)}


def points_up(pair: tuple[str, str]) -> bool:
    """Whether an import is not of a lower module."""
    module, name = pair
    return name not in ORDER or ORDER.index(name) >= ORDER.index(module)


def test_all_modules_have_their_place() -> None:
    """A new module is put into the order."""
    assert set(MODULES) <= {*ORDER, "__init__"}
    assert {path.name for path in PACKAGE.iterdir() if path.is_dir()} <= {
        "_kernels",
        "__pycache__",
    }


def test_imports_run_one_way() -> None:
    """All of them, the one exception and the kernels apart."""
    pairs = {pair for module in MODULES if module != "__init__" for pair in imports(module)}
    assert {pair for pair in pairs if points_up(pair)} == UPWARD | KERNELS
    assert ("variant", "rules") in pairs


def test_exceptions_are_made_inside_functions() -> None:
    """Importing a module loads lower modules only."""
    for module in MODULES:
        if module != "__init__":
            assert not [pair for pair in imports_when_loaded(module) if points_up(pair)]


def test_kernels_import_nothing_of_the_package() -> None:
    """They hold no rules of their own and ask nobody for them."""
    for path in (PACKAGE / "_kernels").glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            assert not imported(node)


LOADED = """
import sys
before = set(sys.modules)
import tavli_fast
print(*sorted({name.partition(".")[0] for name in set(sys.modules) - before}))
"""


def test_importing_the_package_loads_numpy_alone() -> None:
    """Nothing else from outside the standard library, whatever is installed."""
    run = subprocess.run(
        [sys.executable, "-c", LOADED],
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
    )
    assert set(run.stdout.split()) - sys.stdlib_module_names == {"numpy", "tavli_fast"}


def test_names_of_the_package() -> None:
    """What is promised is there, sorted, and nothing is promised twice."""
    assert all(hasattr(tavli, name) for name in tavli.__all__)
    assert len(set(tavli.__all__)) == len(tavli.__all__)


@pytest.mark.parametrize("name", MODULES)
def test_examples_of_modules(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Docstrings, run where a command they start finds the package too."""
    monkeypatch.chdir(ROOT)
    dotted = "tavli_fast" if name == "__init__" else f"tavli_fast.{name}"
    module = importlib.import_module(dotted)
    found = doctest.testmod(module, optionflags=EXAMPLES)
    assert found.failed == 0
    assert (found.attempted > 0) == (">>>" in (PACKAGE / f"{name}.py").read_text("utf-8"))


def examples_in(text: str) -> str:
    """The Python sessions of a Markdown text, all else replaced by empty lines."""
    lines, inside = [], False
    for line in text.splitlines():
        if line.startswith("```"):
            inside = line.strip() == "```python"
            lines.append("")
        else:
            lines.append(line if inside else "")
    return "\n".join(lines) + "\n"


DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_examples_of_documents(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The sessions of one document, one after the other."""
    monkeypatch.chdir(ROOT)
    text = path.read_text("utf-8")
    test = doctest.DocTestParser().get_doctest(examples_in(text), {}, path.name, str(path), 0)
    found = doctest.DocTestRunner(optionflags=EXAMPLES).run(test)
    assert found.failed == 0
    assert found.attempted == len(re.findall(r"^>>> ", text, re.MULTILINE))
