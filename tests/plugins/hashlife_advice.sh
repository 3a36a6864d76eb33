#!/bin/bash
# `engine check` says whether life2d-bit `hashlife` would pay. It pays for the patterns of docs/lab/hashlife.md that it
# takes less time for than `cpu`, by the times measured there; and for no soup without order.
. "$(dirname "$0")/../lib.sh"
[ -e "$BUILD/plugins/life2d-bit.so" ] || skip_all 'life2d-bit was not built'

cat >"$TMP/life.ini" <<END2
[run]
plugin = life2d-bit
threads = 4
steps = 16384
output = $TMP/out
[grid]
size = 16384 16384
[output]
every = 0
END2

# says NAME TEXT OPTION…: what the line about hashlife has.
says() {
    local name=$1 text=$2
    shift 2
    "$ENGINE" check "$TMP/life.ini" "$@" >"$TMP/stdout" 2>"$TMP/stderr"
    expect "$name: $text" grep -q "^ *hashlife: .*$text" "$TMP/stdout"
}

gun=(--set init.file="$ROOT/configs/patterns/gosper-gun.rle" --set init.at='100 100')
soup=(--set init.source=random --set init.density=0.4)
says 'a glider gun' 'usable; would pay: about .* in calls of 16384 steps$' "${gun[@]}"
says 'a glider gun between dead edges' 'would pay' "${gun[@]}" --set grid.edges=dead --set grid.size='16384 4088'
says 'a soup' 'usable; would not pay: more than ten times as slow as a thread of cpu' "${soup[@]}" \
    --set grid.size='1024 1024'
says 'a soup of 2^21 cells' 'not tried, because the grid is large' "${soup[@]}" --set grid.size='2048 1024'
says 'a size that hashlife does not take' 'it takes powers of two .* larger grid$' "${gun[@]}" \
    --set grid.size='1000 1000'
says 'outputs at every step' 'in calls of 1 step$' "${gun[@]}" --set output.every=1
says 'a look at every 64 steps' 'in calls of 64 steps$' "${gun[@]}" --set run.until=repeats --set run.until_every=64
says 'chosen' 'chosen; would pay' "${gun[@]}" --set run.implementation=hashlife
# An empty torus needs one square a level.
says 'no cells' 'would pay: about' --set grid.size='4096 4096'

# The same words in JSON; and no plan of another plugin has any.
expect_status 0 "$ENGINE" check "$TMP/life.ini" "${gun[@]}" --json
expect_stdout_has '"advice":{'
expect_stdout_has '"hashlife":"would pay: about '
expect_status 0 "$ENGINE" check star-wars.ini
expect_stdout_hasnt 'would'

# A file that cannot be read to its end is an error, and no advice.
printf 'x = 3, y = 3\nbo$2bo$3?!' >"$TMP/broken.rle"
expect_status 3 "$ENGINE" check "$TMP/life.ini" --set init.file="$TMP/broken.rle"
expect_stderr_has 'broken.rle'

collection=${GOLLY_PATTERNS:-/usr/share/golly/Patterns}
# pattern FILE STEPS
pattern() {
    if [ -e "$collection/$1" ] && command -v bgolly >/dev/null; then
        bgolly -q -q -a HashLife -m 0 -o "$TMP/pattern.rle" "$collection/$1" >"$TMP/bgolly" 2>&1
        says "$1" 'would pay' --set init.file="$TMP/pattern.rle" --set init.at=center --set run.steps="$2" \
            --set grid.size="${3:-16384 16384}"
    else
        skip "$1" "it is not in $collection, or there is no bgolly (Debian: golly)"
    fi
}
pattern HashLife/metapixel-galaxy.mc.gz 1048576 '32768 32768'
pattern Life/Guns/golly-ticker.rle 8192
pattern Life/Breeders/breeder.lif 8192
plan
