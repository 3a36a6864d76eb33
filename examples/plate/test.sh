#!/bin/sh
# plate: facts that do not come from its code. Prints TAP.
# ENGINE: the engine's program; PLUGINS: the folder of plate.so; ORACLE: the program that `make oracle` builds.
cd "$(dirname "$0")" || exit 1
engine=${ENGINE:-engine} oracle=${ORACLE:-./oracle}
out=$(mktemp -d) || exit 1
trap 'rm -rf "$out"' EXIT
count=0 failed=0

# holds NAME NUMBERS CONDITION: awk's condition on $1, $2, … of the numbers.
holds()
{
    count=$((count + 1))
    if [ "$(echo "$2" | awk "NF && ($3) { ok = 1 } END { print ok + 0 }")" = 1 ]; then
        echo "ok $count - $1"
    else
        echo "not ok $count - $1: found $2"
        failed=1
    fi
}

# go FOLDER [KEY=VALUE]…: leaves files of floats and metrics.csv in $out/FOLDER.
go()
{
    folder=$1
    shift
    for setting; do
        shift
        set -- "$@" --set "$setting"
    done
    "$engine" run plate.ini --plugins "${PLUGINS:-.}" --quiet --force --set output.formats=npy --set output.every=0 \
        --set run.threads=2 --set run.output="$out/$folder" "$@" >/dev/null
}

mean()
{
    tail -n 1 "$out/$1/metrics.csv" | cut -d, -f2
}

echo 1..11

# Each edge has a slowest mode, which keeps its shape and decays by a known factor.
for edges in 'T T torus' 'F F fixed' 'M M mirror' 'F M fixed mirror' 'T F torus fixed' 'M T mirror torus'; do
    letters=$(echo "$edges" | cut -c 1,3) words=$(echo "$edges" | cut -c 5-)
    "$oracle" mode "$letters" 96 61 "$out/mode.npy"
    value=
    case $words in *fixed*) value=0 ;; esac
    go "mode" grid.size='96 61' "grid.edges=$words" "grid.edge_value=$value" init.source=arrays \
        init.temperature="$out/mode.npy" run.steps=1500 plate.diffusivity=0.2
    holds "edges = $words: the slowest mode decays as it should" \
        "$("$oracle" compare "$letters" 0.2 1500 "$out/mode.npy" "$out/mode/temperature-0000001500.npy")" \
        '$1 < 2e-5 && $2 > 0.01 && $2 < 0.9'
done

# No heat flows through mirrors. Between two sides that are held at 1, all becomes 1.
go random grid.edges=mirror grid.edge_value= init.source=random run.steps=0
go closed grid.edges=mirror grid.edge_value= init.source=random run.steps=3000
holds 'an insulated plate keeps its heat' "$(mean random) $(mean closed)" '($1 - $2) ^ 2 < 1e-12 && $1 > 0.4'
go hot grid.size='40 30' run.steps=20000
holds 'between hot sides all becomes hot' "$(mean hot)" '$1 > 0.9999 && $1 < 1.0001'
go one grid.size='40 30' run.steps=1
holds 'a step warms the cells beside the hot sides alone' "$(mean one)" '($1 - 0.25 * 2 / 40) ^ 2 < 1e-14'

"$engine" verify plate.ini --plugins "${PLUGINS:-.}" --set grid.size='100 37' >"$out/said" 2>&1
holds 'all implementations agree' "$? 1" '$1 == 0'
"$engine" conform "${PLUGINS:-.}/plate.so" >"$out/said" 2>&1
holds 'it honours the edges of the grid' "$(grep -c '^ok.*plate/cpu: honours the edges' "$out/said") 1" '$1 == 1'
exit $failed
