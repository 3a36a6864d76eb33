#!/bin/sh
# potts: facts that do not come from its code. Prints TAP.
# ENGINE: the engine's program; PLUGINS: the folder of potts.so; PYTHON: a Python with NumPy.
cd "$(dirname "$0")" || exit 1
engine=${ENGINE:-engine} python=${PYTHON:-python3}
out=$(mktemp -d) || exit 1
trap 'rm -rf "$out"' EXIT
count=0 failed=0

# result NAME HOLDS [FOUND]: HOLDS is 0 or 1.
result()
{
    count=$((count + 1))
    if [ "$2" = 1 ]; then
        echo "ok $count - $1"
    else
        echo "not ok $count - $1: found $3"
        failed=1
    fi
}

# holds NAME NUMBERS CONDITION: awk's condition on $1, $2, … of the numbers.
holds()
{
    result "$1" "$(echo "$2" | awk "NF && ($3) { ok = 1 } END { print ok + 0 }")" "$2"
}

# go FOLDER [KEY=VALUE]…: leaves its files in $out/FOLDER.
go()
{
    folder=$1
    shift
    for setting; do
        shift
        set -- "$@" --set "$setting"
    done
    "$engine" run potts.ini --plugins "${PLUGINS:-.}" --quiet --force --set output.formats=npy --set output.every=0 \
        --set run.threads=1 --set run.output="$out/$folder" "$@" >/dev/null
}

# measure FOLDER: see oracle.py.
measure()
{
    "$python" oracle.py measure "$out/$1"/cells-*.npy 2>&1
}

echo 1..9

go start grid.size='74 60' run.steps=0 init.seed=5000000017
go steps grid.size='74 60' run.steps=400 init.seed=5000000017
found=$("$python" oracle.py loop "$out"/start/cells-*.npy "$out"/steps/cells-*.npy 400 5000000017 2>&1)
holds 'after 400 steps all sites are those of NumPy' "$found" '$1 == 0 && $2 > 1000'
go threads grid.size='74 60' run.steps=400 init.seed=5000000017 run.threads=3
result 'three threads give the same sites' "$(cmp -s "$out"/threads/cells-*.npy "$out"/steps/cells-*.npy && echo 1)" \
    different

# The sorting of Graner and Glazier. Light cells surround dark ones, which hold together more firmly.
go whole run.steps=0
go sorted run.steps=4000
first=$(measure whole) last=$(measure sorted)
holds 'no cell is lost' "$first $last" '$1 == 360 && $8 == 360'
holds 'the volumes stay near the target, 40' "$last" '$2 >= 25 && $3 > 36 && $3 < 40 && $4 <= 55'
holds 'the edge between dark and light cells becomes shorter by a third' "$first $last" '$12 < 2 / 3 * $5 && $12 > 0'
holds 'light cells come to lie outside' "$first $last" '$6 > 0.8 * $7 && $13 < 0.25 * $14'

# An edge of dark and light cells that costs less than the mean of the others: they mix (J. A. Glazier and F. Graner,
# Physical Review E 47, 1993, 2128).
go mixed run.steps=2000 potts.dark=14 potts.mixed=2
holds 'with another adhesion, this edge becomes twice as long' "$first $(measure mixed)" '$12 > 2 * $5'

go refused grid.size='75 60' 2>"$out/said"
result 'odd sides are refused' "$([ $? = 2 ] && grep -q 'even sides' "$out/said" && echo 1)" "$(cat "$out/said")"
"$engine" verify potts.ini --plugins "${PLUGINS:-.}" --set grid.size='100 38' --steps 50 >"$out/said" 2>&1
result 'all implementations agree, whatever the steps of a call' "$([ $? = 0 ] && echo 1)" "$(cat "$out/said")"
exit $failed
