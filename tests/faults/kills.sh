#!/bin/bash
# Given a run that is killed at random moments and resumed each time, when it ends, then all its files are those of a
# run that was never killed.
#
# KILLS is the number of kills for each of three runs, 7 in the short form. tools/try-faults sets a larger number.
. "$(dirname "$0")/common"
KILLS=${KILLS:-7}
RANDOM=$SEED

# configure NAME PLUGIN STEPS CHECKPOINT-EVERY OTHER-LINES: runs of some tenths of a second.
configure() {
    printf '[run]\nplugin = %s\noutput = %s\nsteps = %s\n[checkpoint]\nevery = %s\n%b' "$2" "$TMP/here" "$3" "$4" "$5" \
        >"$TMP/$1.ini"
}
names=(cells volume particles)
formats='gsd nc xtc trr' # and those of HDF5 files, which may not be built; the index of a .gsd moves at its 17th frame
for format in h5md vtkhdf; do
    [ ! -e "$BUILD/plugins/$format.format.so" ] || formats+=" $format"
done
configure cells life2d-bit 800 40 '[grid]\nsize = 500 300\n[init]\nsource = random\n'\
'[output]\nevery = 50\nmetrics_every = 7\nformats = npy png apng vti rle snapshot\n'
configure volume life3d-packed 400 25 '[grid]\nsize = 64 48 40\n[init]\nsource = random\ndensity = 0.2\n'\
'[output]\nevery = 20\nmetrics_every = 3\nformats = npy vti\n'
configure particles nbody 300 30 '[particles]\ncount = 400\n[init]\nsource = plummer\n'\
'[nbody]\ndt = 0.01\nsoftening = 0.05\n[output]\nevery = 10\nmetrics_every = 7\nformats = npy xyz lammpstrj csv dcd gro pdb '\
"$formats"'\n'\
'[analyse]\nplugin = rdf\nevery = 9\n[rdf]\nr_max = 2\nvolume = 5\n'

# go_on NAME [MICROSECONDS]: runs, or goes on where a run was begun; is killed if it takes longer than that.
go_on() {
    local words=(run "$TMP/$1.ini" --force) limit=()
    [ -e "$TMP/here/config.ini" ] && words=(resume "$TMP/here")
    # One that ends by itself just then ends as it does.
    [ $# = 1 ] || limit=(timeout --foreground --preserve-status --signal=KILL
        "$(printf '%d.%06d' $(($2 / 1000000)) $(($2 % 1000000)))")
    "${limit[@]}" "$ENGINE" "${words[@]}" --quiet </dev/null >"$TMP/stdout" 2>"$TMP/stderr" &
    wait $! 2>/dev/null
    status=$?
}

# What is wrong with a run that has come to its end.
differences() {
    diff -r -x summary.json "$TMP/whole" "$TMP/here"
    diff <(grep '"hash"' "$TMP/whole/summary.json") <(grep '"hash"' "$TMP/here/summary.json")
}

# whole_run NAME [MICROSECONDS]: from the beginning; the longest that a kill waits is as long as the last one took, on a
# machine that may have become quicker.
whole_run() {
    local began=${EPOCHREALTIME/./}
    rm -rf "$TMP/here"
    go_on "$@"
    [ "$status" != 0 ] || longest=$((${EPOCHREALTIME/./} - began))
}

# kill_and_resume NAME: so many kills, at any moment of the time that a whole run takes; one result.
kill_and_resume() {
    local name=$1 killed=0 ended=0 wrong='' longest status=0
    rm -rf "$TMP/whole"
    whole_run "$name"
    mv "$TMP/here" "$TMP/whole"
    while [ "$killed" -lt "$KILLS" ] && [ -z "$wrong" ]; do
        local step=go_on
        [ "$status" = 137 ] || step=whole_run
        $step "$name" $(((RANDOM * 32768 + RANDOM) % longest + 1000))
        killed=$((killed + (status == 137)))
        [ "$killed" -lt "$KILLS" ] || [ "$status" = 0 ] || go_on "$name"
        [ "$status" = 137 ] && continue
        ended=$((ended + 1))
        wrong=$([ "$status" = 0 ] || echo "status $status"; cat "$TMP/stderr"; differences 2>&1)
    done
    name="$name: killed $killed times, at its end $ended times"
    if [ -z "$wrong" ]; then ok "$name: the same files each time"; else not_ok "$name" "$(head -n 20 <<<"$wrong")"; fi
}

for name in "${names[@]}"; do
    kill_and_resume "$name"
done
plan
