#!/bin/sh
# forest-fire: facts that do not come from its code. Prints TAP.
# ENGINE: the engine's program; PLUGINS: the folder of forest-fire.so; PYTHON: a Python with NumPy.
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
    "$engine" run forest-fire.ini --plugins "${PLUGINS:-.}" --quiet --force --set output.every=0 --set run.threads=1 \
        --set run.output="$out/$folder" "$@" >/dev/null
}

# burnt DENSITY: prints the share of the trees that a fire from the first row burns, if nothing grows.
burnt()
{
    go percolation grid.size='256 256' grid.edges='torus dead' init.source=front forest-fire.density="$1" \
        forest-fire.growth=0 forest-fire.lightning=0 run.steps=2000 output.metrics_every=2000 output.formats=
    awk -F, 'NR == 2 { first = $2 } END { print 1 - $2 / first, $3 }' "$out/percolation/metrics.csv"
}

echo 1..6

# The same bits as NumPy's, with a seed of more than 32 bits.
go start grid.size='96 80' run.steps=0 output.formats=npy
go steps grid.size='96 80' run.steps=400 output.formats=npy forest-fire.lightning=0.0001 init.seed=5000000017
found=$("$python" oracle.py "$out"/start/cells-*.npy "$out"/steps/cells-*0400.npy 400 0.005 0.0001 5000000017 2>&1)
holds 'after 400 steps all cells are those of NumPy' "$found" '$1 == 0 && NF == 4'
holds 'while trees grow and burn' "$found" '$2 > 1000 && $3 > 1000 && $4 > 10'

# Fire spreads as percolation on the sites of a square lattice. The threshold is a density of 0.592746 (M. E. J. Newman
# and R. M. Ziff, Physical Review Letters 85, 2000, 4104). Near it, a grid of 256 x 256 has no sharp threshold.
holds 'in a forest of density 0.57 a fire ends' "$(burnt 0.57)" '$1 < 0.25 && $2 == 0'
holds 'in a forest of density 0.615 it burns most trees' "$(burnt 0.615)" '$1 > 0.75 && $2 == 0'

# With f << p << 1 / (the time that a fire takes), simulations found a mean density of trees near 0.408 (P. Grassberger,
# New Journal of Physics 4, 2002, 17). From 4 / p steps on, when the first fires are forgotten:
go mean grid.size='384 384' init.source=front forest-fire.density=0.4 forest-fire.growth=0.001 \
    forest-fire.lightning=0.000002 run.steps=7000 output.metrics_every=50 output.formats=
holds 'the mean density of trees is 0.408, to 0.02' "$(awk -F, 'NR > 1 && $1 >= 4000 { trees += $2; rows++ }
    END { print trees / rows / 384 / 384 }' "$out/mean/metrics.csv")" '$1 > 0.388 && $1 < 0.428'

"$engine" verify forest-fire.ini --plugins "${PLUGINS:-.}" --set grid.size='100 37' --steps 50 >"$out/said" 2>&1
result 'all implementations agree, whatever the steps of a call' "$([ $? = 0 ] && echo 1)" "$(cat "$out/said")"
exit $failed
