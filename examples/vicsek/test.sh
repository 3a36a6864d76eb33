#!/bin/sh
# vicsek: facts that do not come from its code. Prints TAP.
# ENGINE: the engine's program; PLUGINS: the folder of vicsek.so; PYTHON: a Python with NumPy.
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

# go FOLDER COUNT EDGE NOISE [KEY=VALUE]…: COUNT particles in a box of EDGE x EDGE.
go()
{
    folder=$1 particles=$2 edge=$3 noise=$4
    shift 4
    for setting; do
        shift
        set -- "$@" --set "$setting"
    done
    "$engine" run vicsek.ini --plugins "${PLUGINS:-.}" --quiet --force --set output.every=0 --set run.threads=1 \
        --set run.output="$out/$folder" --set particles.count="$particles" --set particles.box="$edge $edge 1" \
        --set vicsek.noise="$noise" --json "$@"
}

# order COUNT EDGE NOISE: prints the means of the order and of its square from step 500 to 2000. The order is the length
# of the mean heading.
order()
{
    go order "$1" "$2" "$3" run.steps=2000 output.metrics_every=1 output.formats= >/dev/null
    awk -F, 'NR > 1 && $1 >= 500 { square = $2 * $2 + $3 * $3; squares += square; lengths += sqrt(square); rows++ }
        END { print lengths / rows, squares / rows }' "$out/order/metrics.csv"
}

echo 1..11

# NumPy, which looks at all pairs in double precision: also where the box is two or three reaches wide.
for case in '1000 10 2' '1000 30 3' '40 3.1 1' '3 2 1'; do
    set -- $case
    go steps "$1" "$2" "$3" run.steps=30 output.every=30 output.formats=npy >/dev/null
    found=$("$python" oracle.py "$out"/steps/position-*00.npy "$out"/steps/heading-*00.npy 30 "$2" "$3" 42 \
        "$out"/steps/position-*30.npy "$out"/steps/heading-*30.npy 2>&1)
    holds "$1 particles in a box of $2 with a noise of $3: as NumPy finds them" "$found" 'NF == 2 && $1 < 5e-5 && $2 > 0.1'
done

# Where all particles have one mean heading, the mean of cos(angle) of the uniform noise eta is sin(eta / 2) / (eta / 2).
# The means of the neighbours fluctuate, too, so the order is a little lower.
low=$(order 400 10 0.5)
holds 'a noise of 0.5: the order is that of the noise alone, 0.9896, or a little lower' "$low" '$1 > 0.98 && $1 < 0.9897'
# Headings that are uniform and independent: the mean square of the order is 1 / N.
high=$(order 400 10 6.283185307179586)
holds 'a noise of 2 pi: there is only the order of chance' "$high" '$2 * 400 > 0.9 && $2 * 400 < 1.1'

# Figure 2a of the paper, at a density of 4: with little noise, the order does not depend on the number of particles. With
# much noise, it vanishes the faster the more particles there are.
little="$(order 40 3.1 1) $(order 100 5 1) $(order 400 10 1)"
holds 'a noise of 1: 40, 100 and 400 particles have one order' "$little" '$1 > 0.94 && $1 < 0.96 && $1 - $5 < 0.02 && $5 > 0.94'
much="$(order 40 3.1 5) $(order 100 5 5) $(order 400 10 5)"
holds 'a noise of 5: the more particles, the less order' "$much" '$1 > 0.15 && $1 > 1.3 * $3 && $3 > 1.3 * $5 && $5 < 0.1'

# The same bits whatever the threads; others from another seed.
hash_of()
{
    go hash 3000 30 2 run.steps=60 output.formats= "$@" | sed -n 's/.*"hash": *"\([0-9a-f]*\)".*/\1/p'
}
one=$(hash_of)
two=$(hash_of run.threads=3)
result 'with three threads, the same particles' "$([ -n "$one" ] && [ "$one" = "$two" ] && echo 1)" "$two, not $one"
two=$(hash_of init.seed=43)
result 'another seed gives others' "$([ -n "$two" ] && [ "$one" != "$two" ] && echo 1)" "$two"

"$engine" verify vicsek.ini --plugins "${PLUGINS:-.}" --set particles.count=3001 --steps 30 >"$out/said" 2>&1
result 'all implementations agree, whatever the steps of a call' "$([ $? = 0 ] && echo 1)" "$(cat "$out/said")"
exit $failed
