#!/bin/bash
# engine run --watch shows a picture in the terminal, which script(1) simulates, and the run gives the same results.
. "$(dirname "$0")/common"
command -v script >/dev/null || skip_all 'script is not installed (Debian: bsdutils)'
export TERM=xterm-256color

# shown LOG ARGUMENTS…: what a terminal of 40 x 12 gets
shown() {
    local log=$1
    shift
    script -qec "stty cols 40 rows 12; $* 2>&1 >'$TMP/json'" "$log" </dev/null >/dev/null
    status=$?
}

run "$ENGINE" run "$TMP/good.ini" --set "run.output=$TMP/plain" --json --quiet
cp "$TMP/stdout" "$TMP/plain.json"
shown "$TMP/log" "$ENGINE" run "$TMP/good.ini" --watch --json --set "run.output=$TMP/watched"
expect_equal 'status 0' "$status" 0
expect_equal 'the same hash' "$(json "$TMP/json" '{hash}')" "$(json "$TMP/plain.json" '{hash}')"
expect 'the same files' diff -r -x config.ini -x summary.json "$TMP/plain" "$TMP/watched"
expect 'half blocks' grep -q '▀' "$TMP/log"
expect 'the last step stands below' grep -qF 'step 4 of 4, 100.0 %' "$TMP/log"
expect 'the summary comes after the picture' sh -c "tail -n 20 '$TMP/log' | grep -q hash"

# What it leaves: no mode that would have to be put back.
sequences=$(grep -oaP '\x1b\[[?0-9;]*[a-zA-Z]' "$TMP/log" | sed 's/[0-9;]*//g; s/\x1b//' | sort -u | tr -d '\n')
expect_equal 'colours, erasing, going up, and frames that appear at once' "$sequences" '[?h[?l[A[J[K[m'
expect_equal 'frames that begin end' "$(grep -oaF '[?2026h' "$TMP/log" | wc -l)" "$(grep -oaF '[?2026l' "$TMP/log" \
    | wc -l)"
expect_equal 'every line that has colours goes back to none' "$(grep -aF '[48;5' "$TMP/log" | grep -cavF '[0m')" 0

# A grid that fits as dots alone; a wide one; particles; a histogram.
shown "$TMP/dots" "$ENGINE" run "$TMP/good.ini" --watch --set "run.output=$TMP/dots.out" --set "'grid.size=60 30'"
expect 'dots' env LC_ALL=C.UTF-8 grep -qaP '[\x{2801}-\x{28ff}]' "$TMP/dots"
shown "$TMP/wide" "$ENGINE" run "$TMP/good.ini" --watch --set "run.output=$TMP/wide.out" --set "'grid.size=3000 20'"
expect_equal 'a wide grid: status 0' "$status" 0
expect_equal 'no line is wider than the terminal' \
    "$(LC_ALL=C.UTF-8 perl -CSD -ne 's/\e\[[?0-9;]*[a-zA-Z]//g; s/\r//g; chomp; print "wide\n" if /▀/ && length > 40' \
    "$TMP/wide" | wc -l)" 0
if [ -e "$BUILD/plugins/nbody.so" ]; then
    shown "$TMP/bodies" "$ENGINE" run configs/nbody-texts.ini --watch --set run.steps=1 --set particles.count=500 \
        --set "run.output=$TMP/bodies.out"
    expect_equal 'particles: status 0' "$status" 0
    expect 'particles are seen' grep -qa '▀' "$TMP/bodies"
fi

# Stopped by a signal: the picture of that state stays.
script -qec "stty cols 40 rows 12; timeout --foreground -s INT 2 '$ENGINE' run '$TMP/good.ini' --watch --set run.steps=1000000000000 \
    --set 'run.output=$TMP/stopped' 2>&1; echo status=\$?" "$TMP/log" </dev/null >/dev/null
expect 'SIGINT: status 130 of the engine, 124 of timeout' grep -qE 'status=(124|130)' "$TMP/log"
expect 'and the summary' grep -qF 'stopped by signal 2' "$TMP/log"
expect 'there were several frames' test "$(grep -oaF '[?2026h' "$TMP/log" | wc -l)" -gt 3

# No terminal.
refused 'no terminal' 2 'stderr is not a terminal' "$ENGINE" run "$TMP/good.ini" --watch --set "run.output=$TMP/out"
script -qec "TERM=dumb '$ENGINE' run '$TMP/good.ini' --watch --set 'run.output=$TMP/out' 2>&1; echo status=\$?" \
    "$TMP/log" \
    </dev/null >/dev/null
expect 'a terminal that cannot move its cursor' grep -qF "TERM is 'dumb'" "$TMP/log"
expect 'is a usage error' grep -qF 'status=2' "$TMP/log"
expect_not 'and nothing is written' test -e "$TMP/out"
plan
