#!/bin/bash
# The page of engine view in a real browser: Chromium, which its driver steers.
. "$(dirname "$0")/../lib.sh"
[ -x "$BUILD/engine-view" ] || skip_all 'engine view was built without libmicrohttpd'
driver=$(command -v chromedriver) || skip_all 'chromedriver is not installed; tools/setup --browser installs it'
browser=$(command -v chromium chromium-browser google-chrome | head -n 1)
[ -n "$browser" ] || skip_all 'Chromium is not installed; tools/setup --browser installs it'
command -v python3 >/dev/null || skip_all 'python3 is not installed'

mkdir "$TMP/files"
TMPDIR=$TMP timeout -k 10 600 python3 -B tests/view/browser.py "$ENGINE" "$driver" "$browser" "$TMP/files"
