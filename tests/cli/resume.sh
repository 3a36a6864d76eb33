#!/bin/bash
# engine resume: a run that was stopped, killed or ended early leaves the same files as one that was not.
. "$(dirname "$0")/common"

# configure NAME STEPS OUTPUT-LINES OTHER-LINES…: $TMP/NAME.ini
configure() {
    local name=$1 steps=$2
    shift 2
    printf '[run]\nsteps = %s\noutput = %s\n' "$steps" "$TMP/$name" >"$TMP/$name.ini"
    printf '%s\n' "$@" >>"$TMP/$name.ini"
}

# whole NAME: the uninterrupted run, in $TMP/NAME-whole.
whole() {
    expect_status 0 "$ENGINE" run "$TMP/$1.ini" --quiet --set "run.output=$TMP/$1-whole"
}

# expect_like_whole WHAT NAME: every file but what tells of places and times; checkpoints by their names.
expect_like_whole() {
    local difference
    difference=$(diff -r -x config.ini -x summary.json -x '*.snapshot' "$TMP/$2-whole" "$TMP/$2" 2>&1
        diff <(cd "$TMP/$2-whole" && ls -A) <(cd "$TMP/$2" && ls -A)
        diff <(grep '"hash"' "$TMP/$2-whole/summary.json") <(grep '"hash"' "$TMP/$2/summary.json")
        diff <(json "$TMP/$2-whole/summary.json" '{outputs}' | sed 's,.*/,,') <(json "$TMP/$2/summary.json" '{outputs}' | sed 's,.*/,,'))
    if [ -z "$difference" ]; then ok "$1: all files as without"; else not_ok "$1: all files as without" "$(head -n 20 <<<"$difference")"; fi
    rm -rf "${TMP:?}/$2"
}

# in_parts NAME STEP: runs to that step, and goes on from there to the end.
in_parts() {
    local steps
    steps=$(sed -n 's/^steps = //p' "$TMP/$1.ini" | head -n 1)
    expect_status 0 "$ENGINE" run "$TMP/$1.ini" --quiet --set "run.steps=$2"
    expect_status 0 "$ENGINE" resume "$TMP/$1" --quiet --set "run.steps=$steps" "${@:3}"
}

# killed NAME TIMES: kills the run at random moments and resumes it, so many times.
killed() {
    local i
    for ((i = 0; i < $2; i++)); do
        if [ -e "$TMP/$1/config.ini" ]; then
            "$ENGINE" resume "$TMP/$1" --quiet 2>/dev/null &
        else
            "$ENGINE" run "$TMP/$1.ini" --quiet --force 2>/dev/null &
        fi
        sleep 0.$((RANDOM % 4))$((RANDOM % 9 + 1))
        kill -KILL $! 2>/dev/null
        wait $! 2>/dev/null
    done
    [ -e "$TMP/$1/config.ini" ] || "$ENGINE" run "$TMP/$1.ini" --quiet --force
    expect_status 0 "$ENGINE" resume "$TMP/$1" --quiet
}

# ---- The same files, whatever happens
configure life2d 600 '[output]' 'every = 20' 'metrics_every = 3' 'formats = npy vti png rle' '[checkpoint]' 'every = 30' \
    '[grid]' 'size = 333 200' '[init]' 'source = random'
sed -i '2i plugin = life2d-bit' "$TMP/life2d.ini"
configure life3d 200 '[output]' 'every = 10' 'formats = npy vti' '[checkpoint]' 'every = 15' \
    '[grid]' 'size = 40 33 21' '[init]' 'source = random' 'density = 0.2'
sed -i '2i plugin = life3d-packed' "$TMP/life3d.ini"
configure leapfrog 400 '[output]' 'every = 40' 'metrics_every = 7' 'formats = npy xyz png csv' '[checkpoint]' 'every = 60' \
    '[particles]' 'count = 500' '[init]' 'source = plummer' '[analyse]' 'plugin = rdf' 'from = 100' 'every = 9' \
    '[rdf]' 'r_max = 2' 'volume = 5' '[nbody]' 'dt = 0.01' 'softening = 0.05'
sed -i '2i plugin = nbody' "$TMP/leapfrog.ini"
configure hermite 200 '[output]' 'every = 40' 'metrics_every = 7' 'formats = npy' '[checkpoint]' 'every = 30' \
    '[particles]' 'count = 300' '[init]' 'source = galaxies' '[nbody]' 'dt = 0.01' 'integrator = hermite' 'precision = double' \
    'softening = 0.05'
sed -i '2i plugin = nbody' "$TMP/hermite.ini"
configure transpose 101 '[output]' 'every = 5' 'formats = npy' '[checkpoint]' 'every = 11' \
    '[matrix]' 'rows = 300' 'columns = 217' 'element = uint16' '[init]' 'source = random'
sed -i '2i plugin = transpose' "$TMP/transpose.ini"

declare -A middle=([life2d]=120 [life3d]=60 [leapfrog]=120 [hermite]=120 [transpose]=55)
for name in life2d life3d leapfrog hermite transpose; do
    plugin=$(sed -n 's/^plugin = //p' "$TMP/$name.ini" | head -n 1)
    [ -e "$BUILD/plugins/$plugin.so" ] || { skip "$name" "$plugin was not built" && continue; }
    whole "$name"
    in_parts "$name" "${middle[$name]}"
    expect_like_whole "$name in two parts" "$name"
    killed "$name" 4
    expect_like_whole "$name, killed" "$name"
done
plan
