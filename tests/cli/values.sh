#!/bin/bash
# A run refuses a state with a value that its field does not declare, before a file of it is written.
. "$(dirname "$0")/common"

read -r -a cc <<<"${CC:-cc}"
sanitize=()
[ -n "${SANITIZE:-}" ] && sanitize=('-fsanitize=address,undefined' -fno-sanitize-recover=all)
expect 'the plugin is built' "${cc[@]}" -std=c11 -O2 "${sanitize[@]}" -fPIC -shared -Iinclude -DBREAK=OTHER_VALUE \
    tests/conform/broken/parity.c -lm -pthread -o "$TMP/parity.so"

# From step 1 on, the last cell of the last row is 2. The initial state is right, so it is written.
other=(--plugins "$TMP" --quiet --set run.plugin=parity --set run.implementation=cpu --set run.steps=12 --set output.every=6
    --set "run.output=$TMP/other" --force)
sentence='holds the value 2, and the plugin declares the values 0 to 1'
states() {
    (cd "$TMP/other" && ls -- *0000000006* *0000000012* 2>/dev/null)
}
for set in output.formats=npy output.formats=snapshot output.formats=png output.formats=rle output.formats=vti \
    run.parts=2 'output.region=10:20 0:10' run.until=repeats; do
    expect_status 4 timeout 60 "$ENGINE" run "$TMP/good.ini" "${other[@]}" --set output.formats=npy --set "$set"
    expect_stderr_has "field cells: cell 19 $([ "$set" = run.parts=2 ] && echo 4 || echo 9) $sentence"
    expect_equal "$set: no file of a state that has the value" "$(states)" ''
done
for set in checkpoint.every=6 checkpoint.every=0; do
    expect_status 4 "$ENGINE" run "$TMP/good.ini" "${other[@]}" --set output.formats= --set output.every=0 --set $set
    expect_stderr_has "$sentence"
    expect_equal "$set: no checkpoint of a state that has the value" "$(states)" ''
done
expect 'a run without files does not end as if it were right' test ! -e "$TMP/other/summary.json"
plan
