"""Builds the Cython kernels; everything else is in pyproject.toml.

TAVLI_FAST_BUILD chooses how, and a change of it rebuilds: ``release`` (default), ``debug``
(bounds checks, no optimisation), ``sanitize`` (the same under AddressSanitizer) or
``portable`` (release on the portable twins alone, without SSE2 or NEON).
"""

import os
import platform
from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension, setup

CHECKED = ("debug", "sanitize")

# POPCNT: any x86-64 since 2009, and what numpy asks for itself; engine.pyx refuses to load without
POPCNT = ["-mpopcnt"] if platform.machine().lower() in ("x86_64", "amd64") else []
BUILDS = {
    # -g0: the debug information of generated C is several times the size of the code
    "release": ["-O3", "-g0", *POPCNT],
    "portable": ["-O3", "-g0", "-DTAVLI_FAST_PORTABLE"],
    "debug": ["-O0", "-g", *POPCNT],
    "sanitize": ["-O1", "-g", "-fsanitize=address", "-fno-omit-frame-pointer", *POPCNT],
}

build = os.environ.get("TAVLI_FAST_BUILD", "release")
if build not in BUILDS:
    raise SystemExit(f"TAVLI_FAST_BUILD={build!r} does not exist; it is one of {', '.join(BUILDS)}")

# changes when the kind of build does, and then everything is older than what it depends on
stamp = Path("build/kind")
if not stamp.exists() or stamp.read_text() != build:
    stamp.parent.mkdir(exist_ok=True)
    stamp.write_text(build)

kernels = Path("tavli_fast/engine/_kernels")
headers = sorted(str(p) for p in [*kernels.glob("*.h"), *kernels.glob("*.pxd")])
extensions = [
    Extension(
        f"tavli_fast.engine._kernels.{source.stem}",
        [str(source)],
        depends=[*headers, str(stamp)],
        extra_compile_args=BUILDS[build],
        extra_link_args=["-fsanitize=address"] if build == "sanitize" else [],
    )
    for source in sorted(kernels.glob("*.pyx"))
]
setup(
    ext_modules=cythonize(
        extensions,
        build_dir=f"build/cython-{build}",
        compiler_directives={
            "language_level": 3,
            "boundscheck": build in CHECKED,
            "wraparound": False,
            "cdivision": True,
            "initializedcheck": build in CHECKED,
            "embedsignature": False,
        },
    ),
    options={"build": {"build_base": f"build/{build}"}},
)
