#!/bin/bash
# The verb identify: the table, JSON, options and errors. tests/library/test_identify.c tests the results.
. "$(dirname "$0")/common"

printf 'x = 3, y = 3, rule = B3/S23\nbo$2bo$3o!\n' >"$TMP/glider.rle"
printf 'x = 3, y = 3, rule = B3/S23\nb2o$2o$bo!\n' >"$TMP/pentomino.rle"
expect_status 0 "$ENGINE" identify "$TMP/glider.rle"
for line in 'kind            spaceship' 'period          4' 'speed           c/4 diagonal' \
    'displacement    1 1' 'apgcode         xq4_153'; do
    expect_stdout_has "$line"
done
expect_status 0 "$ENGINE" identify "$TMP/glider.rle" --json
expect_equal 'one JSON object' "$(perl -MJSON::PP -0 -e 'print decode_json(<>)->{apgcode}' "$TMP/stdout")" xq4_153
expect_status 0 "$ENGINE" identify "$TMP/pentomino.rle" --steps 100
expect_stdout_has 'not known'
expect_stdout_has '100 steps'
expect_status 0 "$ENGINE" identify "$TMP/glider.rle" --set life2d-bit.rule=B3/S
expect_stdout_has 'dies'
# The plugin of a rule table says for each run which file it has read, and each grid is a run.
printf 'x = 6, y = 1, rule = WireWorld\n6C!\n' >"$TMP/wire.rle"
expect_status 0 "$ENGINE" identify "$TMP/wire.rle"
expect_stdout_has 'still life'
expect_equal 'a message comes once' "$(grep -c 'rule WireWorld' "$TMP/stderr")" 1
cd "$TMP" || exit 1
expect_status 0 "$ENGINE" identify lwss.rle # comes with the engine
expect_stdout_has 'speed           c/2 orthogonal'
refused 'a misspelt file' 3 "did you mean 'glider.rle'?" "$ENGINE" identify glidr.rle
refused 'a file that is not there' 3 none.rle "$ENGINE" identify "$TMP/none.rle"
printf 'x = 1, y = 1, rule = nonsense\no!\n' >"$TMP/bad.rle"
refused 'a rule that no plugin takes' 4 nonsense "$ENGINE" identify "$TMP/bad.rle"
refused 'a key that does not exist' 2 nonsense "$ENGINE" identify "$TMP/glider.rle" --set run.nonsense=1
refused 'no file' 2 missing "$ENGINE" identify
plan
