#!/usr/bin/env bash
# Builds a source distribution and a wheel from it, and uses the wheel in clean environments: as it
# ships, without the command line's extra, with the oldest numpy, and built on the portable twins.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

check='import tavli_fast as t; assert t.variant("portes").perft(2) == 202782, "perft"'

.venv/bin/python -m build --quiet --outdir "$work/dist" .
python3 -m venv "$work/venv"
# numpy 1.26 has no wheels for Python 3.13 and later
oldest=$("$work/venv/bin/python" -c \
    'import sys; print("numpy==1.26.*" if sys.version_info < (3, 13) else "numpy")')
"$work/venv/bin/pip" install --quiet "$work"/dist/*.whl "$oldest"
cd "$work"
"$work/venv/bin/python" -c "$check"
if message=$("$work/venv/bin/tavli-fast" variants 2>&1); then
    echo "tavli-fast ran without its extra" >&2
    exit 1
fi
grep -q 'tavli_fast\[cli\]' <<<"$message"
if "$root/.venv/bin/python" -m zipfile -l "$work"/dist/*.whl | grep -E '\.(c|pyx) '; then
    echo "the wheel carries sources of the kernels" >&2
    exit 1
fi

python3 -m venv "$work/portable"
TAVLI_FAST_BUILD=portable "$work/portable/bin/pip" install --quiet "$work"/dist/*.tar.gz \
    pytest hypothesis pytest-benchmark click rich
mkdir "$work/suite"
cp -r "$root/tests" "$root/bench" "$work/suite"
cd "$work/suite"
"$work/portable/bin/python" -m pytest -q -p no:cacheprovider --benchmark-disable \
    tests/test_cases.py tests/test_perft.py tests/test_twins.py bench
