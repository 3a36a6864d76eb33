#!/bin/sh
# boids: facts that do not come from its code. Prints TAP.
# ENGINE: the engine's program; PLUGINS: the folder of boids.so; ORACLE: the program that `make oracle` builds.
cd "$(dirname "$0")" || exit 1
engine=${ENGINE:-engine} oracle=${ORACLE:-./oracle}
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

# below NAME NUMBER LIMIT
below()
{
    result "$1" "$(awk -v number="$2" -v limit="$3" 'BEGIN { print (number != "" && number < limit) }')" "$2"
}

# go FOLDER [KEY=VALUE]…
go()
{
    folder=$1
    shift
    for setting; do
        shift
        set -- "$@" --set "$setting"
    done
    "$engine" run boids.ini --plugins "${PLUGINS:-.}" --quiet --force --set output.formats=npy --set output.every=0 \
        --set run.threads=2 --set run.output="$out/$folder" --json "$@"
}

hash_of()
{
    go hash "$@" | sed -n 's/.*"hash": *"\([0-9a-f]*\)".*/\1/p'
}

echo 1..13

# A program that looks at all pairs, in double precision: in a box, in one of twice the reach, and on a plane.
# (A pair whose distance is the reach to float precision would differ; these seeds have none.)
for case in '1500 20' '30 2' '1000 0' '2 3' '1 9'; do
    set -- $case
    box=
    [ "$2" = 0 ] || box="particles.box=$2 $2 1"
    sed '/^box/d' boids.ini >"$out/plane.ini"
    "$engine" run "$out/plane.ini" --plugins "${PLUGINS:-.}" --quiet --force --set output.formats=npy \
        --set output.every=4 \
        --set run.output="$out/steps" --set run.steps=4 --set boids.noise=0 --set particles.count="$1" \
        ${box:+--set "$box"}
    found=$("$oracle" steps "$out"/steps/position-*00.npy "$out"/steps/velocity-*00.npy 4 "$2" \
        "$out"/steps/position-*04.npy "$out"/steps/velocity-*04.npy 2>&1)
    below "$1 birds, box of $2: as all pairs in double precision" "$found" 2e-5
done

go speed particles.count=3000 run.steps=50 >/dev/null
set -- $("$oracle" speed "$out"/speed/velocity-*50.npy)
result 'no bird changes its speed' \
    "$(awk -v low="$1" -v high="$2" 'BEGIN { print (low > 0.99999 && high < 1.00001) }')" "$*"

# Birds that all see each other come to fly in one direction; with much noise, they do not.
order='run.steps=400 particles.count=200 boids.reach=2 boids.separate=0'
heading() { awk -F, 'END { print 1 - sqrt($2 * $2 + $3 * $3) }' "$out/$1/metrics.csv"; }
go one $order particles.box='4 4 1' boids.noise=0 >/dev/null
below 'without noise, all fly in one direction' "$(heading one)" 0.01
go noise $order particles.box='4 4 1' boids.noise=100 >/dev/null
below 'with much noise, they do not' "$(awk -v away="$(heading noise)" 'BEGIN { print 1 - away }')" 0.5

# The same bits whatever the threads and the steps of a call; others from another seed.
few='run.steps=60 particles.count=3000'
one=$(hash_of $few)
for set in run.threads=1 run.threads=3 output.metrics_every=7; do
    two=$(hash_of $few $set)
    result "$set: the same birds" "$([ -n "$one" ] && [ "$one" = "$two" ] && echo 1)" "$two, not $one"
done
two=$(hash_of $few init.seed=43)
result 'another seed gives others' "$([ -n "$two" ] && [ "$one" != "$two" ] && echo 1)" "$two"

"$engine" verify boids.ini --plugins "${PLUGINS:-.}" --set particles.count=3001 --steps 30 >"$out/said" 2>&1
result 'all implementations agree, whatever the steps of a call' "$([ $? = 0 ] && echo 1)" "$(cat "$out/said")"
exit $failed
