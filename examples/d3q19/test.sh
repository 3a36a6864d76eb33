#!/bin/sh
# d3q19: facts that do not come from its code. Prints TAP. ENGINE: the engine's program; PLUGINS: the folder of d3q19.so.
cd "$(dirname "$0")" || exit 1
engine=${ENGINE:-engine}
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

# decay N STEPS SPEED PLUGIN: prints the energy after STEPS steps of N x N x 2 cells, divided by that of the equations of Navier and
# Stokes, and the mass of a cell. The energy of the vortices is multiplied by exp(-4 nu k^2) a step, with k = 2 pi / N.
decay()
{
    "$engine" run d3q19.ini --plugins "${PLUGINS:-.}" --quiet --force --set output.formats= --set run.threads=1 \
        --set run.output="$out/decay" --set grid.size="$1 $1 2" --set run.steps="$2" --set run.plugin="$4" --set "$4.viscosity=0.1" \
        --set output.metrics_every="$2" --set "$4.speed=$3" >/dev/null
    awk -F, -v n="$1" -v t="$2" 'NR == 2 { first = $3 } NR > 1 { mass = $2; last = $3 }
        END { k = 6.283185307179586 / n; print last / first / exp(-0.4 * k * k * t), mass / n / n / 2 }' \
        "$out/decay/metrics.csv"
}

# walls FOLDER STEPS SIZE [KEY=VALUE]…: a run of d3q19-walls, whose metrics.csv has a last row with mass, flow and drag.
walls()
{
    folder=$1 steps=$2 size=$3
    shift 3
    for setting; do
        shift
        set -- "$@" --set "$setting"
    done
    "$engine" run d3q19.ini --plugins "${PLUGINS:-.}" --quiet --force --set run.plugin=d3q19-walls --set output.formats= \
        --set run.threads=1 --set output.metrics_every="$steps" --set run.steps="$steps" --set grid.size="$size" \
        --set run.output="$out/$folder" "$@" >/dev/null
}

echo 1..14
coarse=$(decay 32 250 0.04 d3q19) fine=$(decay 64 1000 0.02 d3q19) half=$(decay 64 1000 0.02 d3q19-half)
result 'vortices of Taylor and Green decay as they should, to 0.4 %' \
    "$(echo "$fine" | awk '{ print ($1 > 0.996 && $1 < 1.004 && NF == 2) }')" "$fine"
result 'with cells of half the size, the error is about a quarter' \
    "$(echo "$coarse $fine" | awk '{ ratio = ($1 - 1) / ($3 - 1); print (ratio > 3.5 && ratio < 4.5) }')" "$coarse $fine"
result 'the mass stays' "$(echo "$fine" | awk '{ print ($2 < 1e-7 && $2 > -1e-7) }')" "$fine"
result 'numbers of 16 bits in memory change the decay by less than 0.2 %' \
    "$(echo "$half $fine" | awk '{ ratio = $1 / $3; print (ratio > 0.998 && ratio < 1.002 && NF == 4) }')" "$half $fine"
"$engine" run d3q19.ini --plugins "${PLUGINS:-.}" --quiet --force --set output.formats= --set run.output="$out/still" \
    --set d3q19.speed=0 --set run.steps=50 --set grid.size='9 7 5' >/dev/null
result 'a fluid at rest stays at rest, to the bit' \
    "$(tail -n 1 "$out/still/metrics.csv" | awk -F, '{ print ($2 == 0 && $3 == 0) }')" "$(tail -n 1 "$out/still/metrics.csv")"
"$engine" verify d3q19.ini --plugins "${PLUGINS:-.}" --set grid.size='33 7 10' --steps 5 >"$out/said" 2>&1
result 'all implementations agree' "$([ $? = 0 ] && echo 1)" "$(cat "$out/said")"
"$engine" verify d3q19.ini --plugins "${PLUGINS:-.}" --set run.plugin=d3q19-half --set grid.size='33 7 10' --steps 5 >"$out/said" 2>&1
result 'and those with numbers of 16 bits' "$([ $? = 0 ] && echo 1)" "$(cat "$out/said")"

# A force F drives the fluid through a duct of a x a cells. In the series, y and z begin in the middle:
# u = 4 a^2 F / (pi^3 nu) sum over odd n of (-1)^((n - 1) / 2) / n^3 (1 - cosh(n pi y / a) / cosh(n pi / 2)) cos(n pi z / a).
probes=$(awk 'BEGIN { for (y = 1; y <= 16; y++) printf " velocity:0:%d:8", y }')
walls duct 3000 '4 18 18' init.source=duct d3q19-walls.force=1e-4 d3q19-walls.viscosity=0.1 output.probes="${probes# }"
found=$(tail -n 1 "$out/duct/metrics.csv" | awk -F, '{
    a = 16
    pi = 3.14159265358979
    for (y = 1; y <= a; y++) {
        u = 0
        for (n = 1; n < 200; n += 2) {
            ratio = (exp(n * pi * ((y - 0.5) / a - 1)) + exp(-n * pi * (y - 0.5) / a)) / (1 + exp(-n * pi))
            u += (n % 4 == 1 ? 1 : -1) / n ^ 3 * (1 - ratio) * cos(n * pi * 0.5 / a)
        }
        u *= 4 * a * a * 1e-4 / (pi ^ 3 * 0.1)
        error = $(5 + 3 * (y - 1)) - u
        if (error ^ 2 > most ^ 2) most = error
        if (u > largest) largest = u
    }
    if (/nan|inf/) most = 1
    print most / largest, $4 / (1e-4 * 4 * a * a) }')
result 'the profile in a square duct is that of the series, to 0.1 % of the largest speed' \
    "$(echo "$found" | awk '{ print ($1 ^ 2 < 1e-6 && NF == 2) }')" "$found"
result 'the drag of its walls is the force on the fluid' "$(echo "$found" | awk '{ print (($2 - 1) ^ 2 < 1e-10) }')" "$found"

# A. A. Zick and G. M. Homsy (Journal of Fluid Mechanics 115, 1982, 13) give the drag of spheres on a cubic lattice: for
# 1/8 of the volume, 4.292 times that of Stokes, 6 pi rho nu r U, where U is the mean over the whole volume. A pressure
# gradient would act on the spheres, too, so the force counts for the whole volume.
walls spheres 900 '32 32 32' init.source=sphere d3q19-walls.force=1e-6 d3q19-walls.viscosity=0.5 d3q19-walls.diameter=19.8475
found=$(tail -n 1 "$out/spheres/metrics.csv" | awk -F, '{ n = 32 ^ 3; pi = 3.14159265358979
    print 1e-6 * n / (6 * pi * 0.5 * 9.92374 * $3 / n), $4 / (1e-6 * n * 7 / 8) }')
result 'the drag of spheres on a lattice is 4.292 times that of Stokes, to 2 %' \
    "$(echo "$found" | awk '{ print ($1 > 4.292 * 0.98 && $1 < 4.292 * 1.02) }')" "$found"
result 'and this is the force on the fluid' "$(echo "$found" | awk '{ print (($2 - 1) ^ 2 < 1e-4 && NF == 2) }')" "$found"
walls calm 50 '24 12 12' init.source=sphere d3q19-walls.diameter=6
result 'around a sphere, a fluid at rest stays at rest, to the bit' \
    "$(tail -n 1 "$out/calm/metrics.csv" | awk -F, '{ print ($2 == 0 && $3 == 0 && $4 == 0) }')" \
    "$(tail -n 1 "$out/calm/metrics.csv")"
# A sphere of diameter 1 holds no centre of a cell.
walls open 200 '24 12 12' init.source=sphere d3q19-walls.diameter=1 d3q19-walls.inflow=yes d3q19-walls.speed=0.1
found=$(tail -n 1 "$out/open/metrics.csv" | awk -F, '{ print $3 / (0.1 * 24 * 12 * 12), $2 }')
result 'what flows in flows out: without an obstacle, a flow stays as it is' \
    "$(echo "$found" | awk '{ print (($1 - 1) ^ 2 < 1e-10 && $2 ^ 2 < 1e-4 && NF == 2) }')" "$found"
"$engine" verify d3q19.ini --plugins "${PLUGINS:-.}" --set run.plugin=d3q19-walls --set init.source=sphere \
    --set d3q19-walls.diameter=6 --set d3q19-walls.inflow=yes --set grid.size='33 9 10' --steps 5 >"$out/said" 2>&1
result 'all implementations of d3q19-walls agree' "$([ $? = 0 ] && echo 1)" "$(cat "$out/said")"
exit $failed
