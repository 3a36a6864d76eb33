#!/bin/bash
# The Python package: every test of tests/python/test_*.py is one result.
. "$(dirname "$0")/../lib.sh"
use_python
mkdir "$TMP/files"
"$python" tests/python/tap.py tests/python "$TMP/files"
