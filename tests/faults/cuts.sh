#!/bin/bash
# Given a run that was killed behind any of its frames, when it resumes from a checkpoint at any earlier one, then the
# files that grow frame by frame are those of a run that was never killed.
. "$(dirname "$0")/common"
frames=34 # the index of a .gsd moves at frames 17 and 33

# cut NAME PLUGIN LINES: the whole run's files and the checkpoint of each step make a killed run.
cut() {
    local name=$1 step wrong='' whole=$TMP/$1-whole here=$TMP/here
    printf '[run]\nplugin = %s\noutput = %s\nsteps = %s\n[output]\nevery = 1\n%b' "$2" "$here" "$frames" "$3" >"$TMP/$name.ini"
    rm -rf "$here" && run "$ENGINE" run "$TMP/$name.ini" --quiet --set checkpoint.every="$frames" && mv "$here" "$whole"
    for ((step = 1; step < frames; step++)); do
        run "$ENGINE" run "$TMP/$name.ini" --quiet --force --set run.steps="$step" --set checkpoint.every="$frames" \
            --set "run.output=$TMP/short"
        cp -r "$whole" "$here" && rm "$here"/summary.json "$here"/checkpoint-*
        cp "$TMP"/short/checkpoint-*.snapshot "$here"
        run "$ENGINE" resume "$here" --quiet
        [ "$status" = 0 ] || wrong+="frame $step: status $status"$'\n'
        diff -r -x summary.json "$whole" "$here" >"$TMP/differences" 2>&1 || wrong+="frame $step: $(<"$TMP/differences")"$'\n'
        rm -rf "$here"
    done
    name="$name: cut behind each of $frames frames: the same files"
    if [ -z "$wrong" ]; then ok "$name"; else not_ok "$name" "$(head -n 20 <<<"$wrong")"; fi
}

formats='dcd gsd xtc trr xyz npy csv'
for format in h5md vtkhdf; do
    [ ! -e "$BUILD/plugins/$format.format.so" ] || formats+=" $format"
done
cut particles nbody "formats = $formats"'\nmetrics_every = 1\n[particles]\ncount = 20\n[init]\nsource = plummer\n'\
'[analyse]\nplugin = rdf\n[rdf]\nbins = 8\nr_max = 2\nvolume = 5\n'
cut cells life2d-bit 'formats = apng vti rle\nmetrics_every = 1\n[grid]\nsize = 40 24\n[init]\nsource = random\n'
plan
