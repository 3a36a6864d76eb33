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

echo 1..7
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
exit $failed
