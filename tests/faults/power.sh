#!/bin/bash
# Given a run whose machine loses its power, when it is resumed with what the disk has kept, then all its files are
# those of a run that was never interrupted.
#
# tests/faults/power.pl describes what a disk keeps. LONG=1 tries every call of each run three times, and all plugins.
. "$(dirname "$0")/common"
ldd "$ENGINE" | grep -q libasan && skip_all 'the sanitizers and the shim both put themselves before malloc'
TRIALS=${TRIALS:-12}
tried=0

# lose NAME CONFIG ARGUMENT…
lose() {
    local name=$1 trials=$TRIALS wrong
    shift
    rm -rf "$TMP/whole" "$TMP/here"
    mkdir "$TMP/here"
    run env FAULT_UNDER="$TMP/here" FAULT_RECORD="$TMP/record" LD_PRELOAD="$SHIM" "$ENGINE" run "$@" --quiet --force \
        --set "run.output=$TMP/here"
    expect_equal "$name: it runs" "$status" 0
    mv "$TMP/here" "$TMP/whole"
    [ -z "$LONG" ] || trials=${TRIALS_OF_EACH:-all}
    wrong=$(tests/faults/power.pl "$TMP/record" "$trials" "$SEED" "$ENGINE" run "$@" --set "run.output=$TMP/here" \
        2>"$TMP/trials")
    trials=$(tail -n 1 "$TMP/trials")
    tried=$((tried + trials))
    name="$name: $trials power failures"
    if [ -z "$wrong" ]; then ok "$name"; else not_ok "$name" "$(head -n 40 <<<"$wrong")"; fi
}

configure cells life2d-bit 'rle npy png apng vti snapshot' \
    '[grid]\nsize = 40 24\n[init]\nsource = random\n[checkpoint]\nevery = 1\n'
configure volume life3d-packed 'rle3 npy png vti' '[grid]\nsize = 12 10 8\n[init]\nsource = random\n'
configure particles nbody 'npy xyz lammpstrj dcd vti png csv svg' '[particles]\ncount = 40\n[init]\nsource = plummer\n'\
'[analyse]\nplugin = rdf\n[rdf]\nbins = 8\nr_max = 2\n[checkpoint]\nevery = 2\n'
for name in cells volume particles; do
    lose "$name" "$TMP/$name.ini"
done

# Settings for a small run of each kind of plugin; the first that a plugin takes is used.
kinds=('grid.size=40 24' 'grid.size=12 10 8' 'particles.count=40' \
    'matrix.rows=12|matrix.columns=10|matrix.element=float32')
takes() { "$ENGINE" check "$@" --quiet >/dev/null 2>&1; }

# settings_of PLUGIN: prints the settings of a small run that the plugin takes, one on each line, with all formats that
# its fields allow.
settings_of() {
    local kind source format formats='' key settings=()
    for kind in "${kinds[@]}"; do
        for source in random lattice plummer; do
            settings=(--set "run.plugin=$1" --set "init.source=$source")
            while read -r key; do settings+=(--set "$key"); done <<<"${kind//|/$'\n'}"
            takes "$TMP/any.ini" "${settings[@]}" && break 2
        done
    done
    for format in rle rle3 npy png apng vti xyz lammpstrj dcd csv svg snapshot; do
        takes "$TMP/any.ini" "${settings[@]}" --set "output.formats=$format" && formats+=" $format"
    done
    printf '%s\n' "${settings[@]}" --set "output.formats=$formats"
}

printf '[run]\nsteps = 4\nthreads = 1\n[output]\nevery = 2\n[checkpoint]\nevery = 1\n' >"$TMP/any.ini"
for plugin in ${LONG:+$("$ENGINE" list | awk '/^[^ ]/ { print $1 }')}; do
    mapfile -t settings < <(settings_of "$plugin")
    if takes "$TMP/any.ini" "${settings[@]}"; then
        lose "$plugin" "$TMP/any.ini" "${settings[@]}"
    else
        skip "$plugin" 'needs an input file'
    fi
done
echo "# $tried power failures"
plan
