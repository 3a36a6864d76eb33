#!/bin/bash
# Given a program engine view, when pages and strangers speak with it, then it answers its own pages alone, and what it
# shows, changes and saves is right.
. "$(dirname "$0")/../lib.sh"
[ -x "$BUILD/engine-view" ] || skip_all 'built without libmicrohttpd; tools/setup --tests installs libmicrohttpd-dev'
exec python3 -B tests/python/tap.py tests/view "$TMP" 'test_*.py'
