"""How the package is built: which folder imports which, what it needs, whether its examples run."""

import ast
import doctest
import importlib
import re
import subprocess
import sys
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

import tavli_fast as tavli

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "tavli_fast"

# each folder may import itself and those named here
MAY_IMPORT = {
    "errors": set(),
    "support": {"errors"},
    "rules": {"errors", "support"},
    "writing": {"errors", "support", "rules"},
    "engine": {"errors", "support", "rules"},
    "policies": {"errors", "support", "rules", "engine"},
    "game": {"errors", "support", "rules", "engine", "writing", "policies"},
    "bulk": {"errors", "support", "rules", "engine", "writing", "policies", "game"},
    "measure": {"errors", "support", "rules", "engine", "writing", "policies", "game", "bulk"},
}
MAY_IMPORT["cli"] = {*MAY_IMPORT, "measure"}
MAY_IMPORT["__main__"] = {"errors", "cli"}
KERNELS = "engine._kernels"

SOURCES = sorted(
    path for path in PACKAGE.rglob("*.py") if path.relative_to(PACKAGE).parts != ("__init__.py",)
)
EXAMPLES = doctest.ELLIPSIS | doctest.REPORT_UDIFF


def dotted(path: Path) -> str:
    """The name of a module below the package; that of a folder for its ``__init__``."""
    parts = path.relative_to(PACKAGE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {dotted(path): path for path in SOURCES}


def for_types_alone(tree: ast.Module) -> set[ast.AST]:
    """What stands below ``if TYPE_CHECKING``."""
    guarded = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
    ]
    return {child for node in guarded for child in ast.walk(node)}


def imported(module: str) -> set[str]:
    """Modules and folders of the package that a module imports, anywhere in it."""
    path = MODULES[module]
    package = path.relative_to(PACKAGE).parts[:-1]
    tree = ast.parse(path.read_text("utf-8"))
    skipped = for_types_alone(tree)
    found: set[str] = set()
    for node in ast.walk(tree):
        if node in skipped:
            continue
        if isinstance(node, ast.Import):
            assert not any(name.name.split(".")[0] == "tavli_fast" for name in node.names)
        if not isinstance(node, ast.ImportFrom):
            continue
        assert node.level or (node.module or "").split(".")[0] != "tavli_fast"
        if node.level:
            base = ".".join(
                (*package[: len(package) - node.level + 1], *(node.module or "").split("."))
            ).strip(".")
            inside = {".".join((base, name.name)).strip(".") for name in node.names}
            found |= {name if name in MODULES or is_kernel(name) else base for name in inside}
    return found


def is_kernel(name: str) -> bool:
    """Whether a module is a compiled one."""
    return name.startswith(f"{KERNELS}.")


def top(name: str) -> str:
    """The folder of a module, or the module itself at the top."""
    return name.partition(".")[0]


def test_every_folder_has_its_place() -> None:
    """A new folder is added to the table above and says in its docstring what lives in it."""
    assert {top(name) for name in MODULES} == set(MAY_IMPORT)
    for folder in {path.parent for path in SOURCES} - {PACKAGE}:
        tree = ast.parse((folder / "__init__.py").read_text("utf-8"))
        assert ast.get_docstring(tree), folder
        assert len(tree.body) == 1, f"{folder}: a docstring and nothing else"


def test_folders_import_one_way() -> None:
    """Only those that the table allows."""
    wrong = [
        f"{module} imports {name}"
        for module in MODULES
        for name in imported(module)
        if top(name) not in {top(module), *MAY_IMPORT[top(module)]}
    ]
    assert wrong == []
    assert "rules.switches" in imported("engine.variant")


def test_modules_import_in_no_circle() -> None:
    """Imports inside functions count as well."""
    graph = {module: imported(module) - {module} for module in MODULES}
    assert len(list(TopologicalSorter(graph).static_order())) >= len(MODULES)


def test_kernels_import_nothing_of_the_package() -> None:
    """They contain no rules of their own and depend on no Python module."""
    sources = [
        path
        for path in (PACKAGE / "engine/_kernels").iterdir()
        if path.suffix in (".pyx", ".pxd", ".py", ".h")
    ]
    assert sum(path.suffix == ".pyx" for path in sources) > 5
    outside = re.compile(r"^\s*(from\s+\.\.|from\s+tavli|import\s+tavli)", re.MULTILINE)
    assert [path.name for path in sources if outside.search(path.read_text("utf-8"))] == []


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
    """All promised names exist, once each."""
    assert all(hasattr(tavli, name) for name in tavli.__all__)
    assert len(set(tavli.__all__)) == len(tavli.__all__)


def test_no_public_name_hides_a_module() -> None:
    """``import tavli_fast.x`` never binds something else than a module."""
    assert {name for name in tavli.__all__ if name in {top(module) for module in MODULES}} == set()


@pytest.mark.parametrize("name", ["", *MODULES])
def test_examples_of_modules(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Docstrings, run where a command they start finds the package too."""
    monkeypatch.chdir(ROOT)
    path = MODULES.get(name, PACKAGE / "__init__.py")
    module = importlib.import_module(f"tavli_fast.{name}".rstrip("."))
    found = doctest.testmod(module, optionflags=EXAMPLES)
    assert found.failed == 0
    assert (found.attempted > 0) == (">>>" in path.read_text("utf-8"))


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
