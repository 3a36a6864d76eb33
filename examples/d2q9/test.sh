#!/bin/sh
# d2q9: facts that do not come from its code. Prints TAP.
# ENGINE: the engine's program; PLUGINS: the folder of d2q9.so; PYTHON: a Python with NumPy, if there is one.
cd "$(dirname "$0")" || exit 1
engine=${ENGINE:-engine}
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

# go FOLDER STEPS [KEY=VALUE]…: leaves the last state's row of metrics.csv, and files, in $out/FOLDER.
go()
{
    folder=$1 steps=$2
    shift 2
    for setting; do
        shift
        set -- "$@" --set "$setting"
    done
    "$engine" run d2q9.ini --plugins "${PLUGINS:-.}" --quiet --force --set output.formats= --set output.every=0 \
        --set output.metrics_every="$steps" --set run.threads=1 --set run.steps="$steps" --set run.output="$out/$folder" \
        "$@" >/dev/null
}

# metric N FOLDER: column N of the last row.
metric()
{
    tail -n 1 "$out/$2/metrics.csv" | cut -d, -f"$1"
}

# poiseuille HEIGHT MAGIC: prints the largest error of the profile between two walls, relative to the largest speed. A
# force F drives u(y) = F y (height - y) / (2 nu), from wall to wall.
poiseuille()
{
    probes=$(awk -v h="$1" 'BEGIN { for (y = 0; y < h; y++) printf " velocity:0:%d", y }')
    go profile $(($1 * $1 * 20)) grid.size="4 $1" init.source=channel d2q9.speed=0 d2q9.inflow=no d2q9.viscosity=0.1 \
        d2q9.magic="$2" d2q9.force="$(awk -v h="$1" 'BEGIN { print 0.04 / h / h }')" output.probes="${probes# }"
    tail -n 1 "$out/profile/metrics.csv" | awk -F, -v h="$1" '{
        for (y = 0; y < h; y++) {
            error = $(5 + 2 * y) / 0.05 - 4 * (y + 0.5) * (h - y - 0.5) / h / h
            if (error ^ 2 > most ^ 2) most = error
        }
        if (/nan|inf/) most = 1
        print most }'
}

# decay N STEPS SPEED: prints the speed in the vortices of Taylor and Green after STEPS steps of N x N cells, divided by
# that of the equations of Navier and Stokes: multiplied by exp(-2 nu k^2) a step, with k = 2 pi / N.
decay()
{
    go decay "$2" grid.size="$1 $1" init.source=vortices d2q9.inflow=no d2q9.walls=no d2q9.viscosity=0.1 \
        d2q9.speed="$3" output.probes="velocity:0:$(($1 / 4))"
    awk -F, -v n="$1" -v t="$2" -v u="$3" 'END { k = 6.283185307179586 / n
        print -$5 / u / cos(k / 2) / sin(k * (n / 4 + 0.5)) / exp(-0.2 * k * k * t) }' "$out/decay/metrics.csv"
}

# differences SETTINGS…: what check.py finds after 200 steps.
differences()
{
    inflow=$1 walls=$2 force=$3
    go numpy 200 grid.size='66 37' d2q9.diameter=9 d2q9.viscosity=0.02 d2q9.magic=0.2 d2q9.inflow="$inflow" \
        d2q9.walls="$walls" d2q9.force="$force" output.every=200 output.formats=npy \
        output.fields='f density velocity vorticity'
    "$python" check.py 200 "$out/numpy" 0.02 0.1 "$force" 0.2 9 "$inflow" "$walls"
}

echo 1..14

# Between walls, a force drives the parabola of Poiseuille.
fine=$(poiseuille 32 0.25)
holds 'with magic = 3/16 the parabola between two walls is exact, to 2e-5' "$(poiseuille 16 0.1875)" '$1 ^ 2 < 4e-10'
holds 'with magic = 1/4 it has an error below 0.1 %' "$fine" '$1 ^ 2 < 1e-6'
holds 'of second order: with cells of half the size, it is about a quarter' "$(poiseuille 16 0.25) $fine" \
    '$1 / $2 > 3.8 && $1 / $2 < 4.2'

# Vortices decay as the equations of Navier and Stokes say.
coarse=$(decay 32 250 0.04) fine=$(decay 64 1000 0.02)
holds 'vortices of Taylor and Green decay as they should, to 0.1 %' "$fine" '($1 - 1) ^ 2 < 1e-6'
holds 'with cells of half the size, the error is about a quarter' "$coarse $fine" \
    '($1 - 1) / ($2 - 1) > 3.5 && ($1 - 1) / ($2 - 1) < 4.5'

# Test case 2D-1 of M. Schaefer and S. Turek: a cylinder in a channel at a Reynolds number of 20. They give the bounds
# 5.57 to 5.59 for the drag coefficient, and 0.0104 to 0.0110 for that of the lift. The mean speed is 1/15.
go cylinder 16000 d2q9.viscosity=0.0666666667
coefficients=$(echo "$(metric 3 cylinder) $(metric 4 cylinder)" | awk '{ print $1 * 22.5, $2 * 22.5 }')
holds 'the drag of the cylinder of case 2D-1 is 5.58, to 1.5 %' "$coefficients" '$1 > 5.58 * 0.985 && $1 < 5.58 * 1.015'
holds 'its lift is 0.0107, to 15 %' "$coefficients" '$2 > 0.0107 * 0.85 && $2 < 0.0107 * 1.15'

# In a steady flow the drag is the force on the fluid. A cylinder of diameter 8 has 52 cells.
go array 6000 grid.size='32 32' d2q9.diameter=8 d2q9.speed=0 d2q9.inflow=no d2q9.walls=no d2q9.viscosity=0.2 \
    d2q9.force=1e-5
holds 'the drag of an array of cylinders is the force on the fluid between them' "$(metric 3 array)" \
    '($1 / (1e-5 * (32 * 32 - 52)) - 1) ^ 2 < 1e-6'
holds 'and no mass is lost' "$(metric 2 array)" '($1 / 1024) ^ 2 < 1e-12'
go still 50 grid.size='70 33' d2q9.speed=0
holds 'a fluid at rest stays at rest, to the bit' "$(metric 2 still) $(metric 3 still) $(metric 4 still)" \
    '$1 == 0 && $2 == 0 && $3 == 0'

# A program in NumPy, in double precision.
for candidate in ${PYTHON:+"$PYTHON"} python3 /usr/bin/python3; do
    "$candidate" -c 'import numpy' 2>/dev/null && python=$candidate && break
done
for settings in 'yes yes 0' 'no yes 1e-5' 'no no 1e-5'; do
    if [ -z "${python:-}" ]; then
        count=$((count + 1))
        echo "ok $count - NumPy agrees # SKIP there is no NumPy"
        continue
    fi
    # shellcheck disable=SC2086 # words are meant
    holds "NumPy agrees after 200 steps: inflow, walls, force = $settings" "$(differences $settings)" \
        '$1 < 1e-6 && $2 < 1e-6 && $3 < 1e-6 && $4 < 1e-6 && $5 > 0.1 && $6 < 1e-6 && $7 > 0.01'
done

"$engine" verify d2q9.ini --plugins "${PLUGINS:-.}" --set grid.size='100 37' --set d2q9.diameter=9 >"$out/said" 2>&1
holds 'all implementations agree' "$? 1" '$1 == 0'
exit $failed
