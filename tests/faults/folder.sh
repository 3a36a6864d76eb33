#!/bin/bash
# Given a run, or a resumed run, whose folder is on a failing file system, when one call on that folder or a file in it
# fails, then the program ends with a documented status and the reason, and loses nothing; or it does not need the call
# and succeeds. A call that a signal has interrupted is made again, and a short read or write is continued.
. "$(dirname "$0")/common"
ldd "$ENGINE" | grep -q libasan && skip_all 'the sanitizers and the shim both put themselves before malloc'
export FAULT_UNDER=$TMP/here
MOST=1

# The short form tries one call of each kind in each run, and fewer errors.
calls=(open read write close fsync rename mkdir unlink truncate stat list lock)
declare -A hows=([open]='EACCES EINTR' [read]='EIO EINTR short' [write]='ENOSPC EINTR short' [close]='EIO EINTR'
    [fsync]='EIO EINTR' [rename]='EDQUOT EINTR' [mkdir]=EINTR [unlink]='EIO EINTR' [truncate]='EIO EINTR'
    [stat]='ESTALE EINTR' [list]='EIO EINTR' [lock]=EINTR)
[ -z "$LONG" ] ||
    hows=([open]='EIO EACCES ENOSPC EDQUOT ESTALE EINTR' [read]='EIO ESTALE EINTR short'
        [write]='EIO ENOSPC EDQUOT ESTALE EINTR short' [close]='EIO ENOSPC EDQUOT EINTR' \
            [fsync]='EIO ENOSPC EDQUOT EINTR'
        [rename]='EIO ENOSPC EDQUOT ESTALE EINTR' [mkdir]='EIO ENOSPC EDQUOT EINTR' [unlink]='EIO ESTALE EINTR'
        [truncate]='EIO ESTALE EINTR' [stat]='EIO ESTALE EINTR' [list]='EIO ESTALE EINTR' [lock]=EINTR)

configure cells life2d-bit 'rle npy png apng vti' \
    '[grid]\nsize = 40 24\n[init]\nsource = random\n[checkpoint]\nevery = 1\n'
configure volume life3d-packed 'rle3 npy vti snapshot' '[grid]\nsize = 12 10 8\n[init]\nsource = random\n'
configure particles nbody 'npy xyz lammpstrj dcd png csv svg' '[particles]\ncount = 40\n[init]\nsource = plummer\n'\
'[analyse]\nplugin = rdf\n[rdf]\nbins = 8\nr_max = 2\n[checkpoint]\nevery = 2\n'

for name in cells volume particles; do
    try_all "$name" run "$TMP/$name.ini" --set run.output=HERE --json --quiet
done
for name in cells particles; do
    BEFORE=$TMP/before-$name
    expect_status 0 "$ENGINE" run "$TMP/$name.ini" --set "run.output=$BEFORE" --quiet --set run.steps=2
    export BEFORE
    try_all "$name, resumed" resume HERE --set run.steps=4 --json --quiet
done

# Inputs of convert, and the plugin of a run: each call that opens one is repeated. The loader of the system opens the
# plugin after the engine, and repeats no call.
mkdir "$TMP/inputs"
cp tests/faults/glider.rle "$TMP/inputs/glider.rle"
gzip -c tests/faults/glider.rle >"$TMP/inputs/packed.rle"
"$ENGINE" convert "$TMP/inputs/glider.rle" "$TMP/inputs/glider.npy"
perl -MIO::Compress::Zip=:all -e 'zip $ARGV[0] => $ARGV[1], Name => "glider.rle" or die' "$TMP/inputs/glider.rle" "$TMP/inputs/glider.zip"
cp "$BUILD/plugins/life2d-bit.so" "$TMP/inputs/" && chmod go-w "$TMP/inputs" "$TMP/inputs/life2d-bit.so"
# interrupted NAME CALLS MOST COMMAND…: with EINTR at each of the first MOST calls of these kinds about files of UNDER.
interrupted() {
    local kind call
    run env FAULT_UNDER="${UNDER:-$TMP/inputs}" FAULT_COUNTS="$TMP/counts" LD_PRELOAD="$SHIM" "${@:4}"
    cp "$TMP/counts" "$TMP/all"
    expect "$1: it is opened" test "$status $(($(count open) > 0))" = '0 1'
    for kind in $2; do
        for ((call = 1; call <= $(awk -v kind="$kind" '$1 == kind { print $2 }' "$TMP/all") && call <= $3; call++)); do
            expect_status 0 env FAULT_UNDER="${UNDER:-$TMP/inputs}" FAULT="$kind $call EINTR" LD_PRELOAD="$SHIM" "${@:4}"
        done
    done
}
for file in glider.rle packed.rle glider.npy glider.zip; do
    interrupted "$file" 'open read stat' 9 "$ENGINE" convert "$TMP/inputs/$file" "$TMP/converted.rle" --force
done
interrupted 'a plugin' 'open stat' 2 "$ENGINE" run "$TMP/cells.ini" --plugins "$TMP/inputs" --set "run.output=$TMP/of-plugin" --quiet --force
printf '@RULE One\n@TABLE\nn_states:2\nneighborhood:Moore\nsymmetries:permute\n' >"$TMP/inputs/One.rule"
printf '1 2 3\n2 1 1\n' >"$TMP/inputs/table.txt"
printf '0 1\n' >"$TMP/inputs/bonds.txt"
interrupted 'a rule' 'open read stat' 9 "$ENGINE" check "$TMP/cells.ini" --set run.plugin=ruletable --set ruletable.rule=One \
    --set "ruletable.folder=$TMP/inputs" --set output.formats=npy
configure pairs pairs npy '[particles]\ncount = 40\nbox = 8 8 8\n[init]\nsource = fcc\n[pairs]\npotential = table\n'
interrupted 'a table' 'open read stat' 9 "$ENGINE" check "$TMP/pairs.ini" --set "pairs.table=$TMP/inputs/table.txt"
interrupted 'pairs that do not count' 'open read stat' 9 "$ENGINE" check "$TMP/particles.ini" --set "rdf.exclude=$TMP/inputs/bonds.txt"

# report makes interrupted calls again. What it cannot read, it names, and its page shows the other files.
"$ENGINE" run "$TMP/cells.ini" --set "run.output=$TMP/shown" --set 'output.formats=png apng' --quiet
UNDER=$TMP/shown interrupted 'a page' 'open read stat list write close fsync rename' 20 "$ENGINE" report "$TMP/shown"
for call in open read; do
    wrong=
    for ((number = 1; number <= $(awk -v kind=$call '$1 == kind { print $2 }' "$TMP/all"); number++)); do
        run env FAULT_UNDER="$TMP/shown" FAULT="$call $number EIO" LD_PRELOAD="$SHIM" "$ENGINE" report "$TMP/shown"
        grep -qE 'Input/output error' "$TMP/stderr" || wrong+="$call $number: status $status: $(<"$TMP/stderr")"$'\n'
    done
    expect_equal "report: $call fails once: a sentence, whatever is in the page" "$wrong" ''
done

unset BEFORE
# Nothing is left of an ensemble that was killed before any call that removes a file.
(cat "$TMP/cells.ini" && printf '[ensemble]\nsweep = init.seed=1..3\nat_once = 1\n') >"$TMP/ensemble.ini"
whole 'an ensemble' run "$TMP/ensemble.ini" --set run.output=HERE --quiet
removals=$(count unlink) wrong=
for ((number = 1; number <= removals; number++)); do
    rm -rf "$TMP/here" && mkdir "$TMP/here"
    run env FAULT="unlink $number kill" LD_PRELOAD="$SHIM" "$ENGINE" run "$TMP/ensemble.ini" --set "run.output=$TMP/here" --quiet
    killed=$status
    run "$ENGINE" resume "$TMP/here" --quiet
    left=$(cd "$TMP/here" && find . -name .lock -o -name '.tmp*')
    [ "$killed $status $left" = '137 0 ' ] || wrong+="removal $number: status $killed, then $status: $left"$'\n'
done
expect_equal "an ensemble that was killed before each of $removals removals" "$wrong" ''
echo "# $tried faults"
plan
