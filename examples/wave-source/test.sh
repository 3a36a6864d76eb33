#!/bin/sh
# wave-source: facts that do not come from its code. Prints TAP.
# ENGINE: the engine's program; PLUGINS: the folder of wave-source.so; PYTHON: a Python with NumPy.
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

# go WIDTH HEIGHT STEPS LENGTH [KEY=VALUE]…: takes STEPS steps with a pulse of LENGTH steps in the middle.
go()
{
    width=$1 height=$2 steps=$3 length=$4
    shift 4
    for setting; do
        shift
        set -- "$@" --set "$setting"
    done
    rm -rf "$out/run"
    "$engine" run wave-source.ini --plugins "${PLUGINS:-.}" --quiet --force --set output.formats=npy \
        --set output.every=0 --set run.threads=1 --set run.output="$out/run" --set grid.edges=torus \
        --set grid.size="$width $height" --set run.steps="$steps" --set wave-source.length="$length" \
        --set wave-source.x=0.5 --set wave-source.y=0.5 "$@" >/dev/null
}

# oracle loop|theory STEPS LENGTH
oracle()
{
    "$python" oracle.py "$1" "$out"/run/height-*.npy "$2" 0.5 "$3" 2>&1
}

echo 1..6

go 96 80 300 60
holds 'after 300 steps all cells are those of NumPy, to the bit' "$(oracle loop 300 60)" '$1 == 0 && $2 > 0.1'

# The solution of the wave equation in the plane: the pulse folded with the Green's function. The ring has no edge yet.
go 256 256 200 60
coarse=$(oracle theory 200 60)
go 512 512 400 120
fine=$(oracle theory 400 120)
holds 'the heights are those of the plane, to 5 % of the largest' "$fine" '$1 < 0.05 * $2 && $2 > 0.1 && NF == 3'
holds 'with cells of half the size, the error is about a quarter' "$coarse $fine" '$1 / $4 > 3.5 && $1 / $4 < 4.5'
holds 'no wave is faster than the speed' "$fine" '$3 < 0.001 * $2'

# In a divided run, only the part that has the cell of the source pushes it.
go 97 83 150 60 wave-source.x=0.9 wave-source.y=0.7
cp "$out"/run/height-*.npy "$out/whole.npy"
go 97 83 150 60 wave-source.x=0.9 wave-source.y=0.7 run.parts=3
result 'three parts give the same heights' "$(cmp -s "$out"/run/height-*.npy "$out/whole.npy" && echo 1)" different

"$engine" verify wave-source.ini --plugins "${PLUGINS:-.}" --set grid.size='100 37' >"$out/said" 2>&1
result 'all implementations agree, whatever the steps of a call' "$([ $? = 0 ] && echo 1)" "$(cat "$out/said")"
exit $failed
