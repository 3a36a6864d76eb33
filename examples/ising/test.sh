#!/bin/sh
# ising: facts that do not come from its code. Prints TAP.
# ENGINE: the engine's program; PLUGINS: the folder of ising.so; ORACLE: the program that `make oracle` builds.
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

# near NAME EXACT MEAN ERROR LARGEST: the mean is within five errors of the exact value, and the error small enough to
# tell.
near()
{
    result "$1" "$(awk -v exact="$2" -v mean="$3" -v error="$4" -v largest="$5" 'BEGIN {
        off = mean > exact ? mean - exact : exact - mean
        print (mean != "" && off <= 5 * error + 1e-12 && error <= largest) }')" "$3 +- $4, exact is $2"
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
    "$engine" run ising.ini --plugins "${PLUGINS:-.}" --quiet --force --set output.formats=npy --set output.every=0 \
        --set run.threads=1 --set run.output="$out/$folder" --json "$@"
}

echo 1..62

# Onsager's energy and Yang's magnetisation, from all spins up; 100 sweeps are left out. Infinite planes are like this
# torus to e^(-128 / correlation length), of which the longest here is 7.
for temperature in 1.5 2 2.6 3.5; do
    go "plane$temperature" grid.size='128 128' init.density=1 run.steps=3200 output.metrics_every=5 \
        ising.temperature=$temperature >/dev/null
    set -- $("$oracle" onsager $temperature) $("$oracle" series "$out/plane$temperature/metrics.csv" 20)
    near "T = $temperature: Onsager's energy" "$1" "$3" "$4" 1.5e-3
    near "T = $temperature: Yang's magnetisation" "$2" "$7" "$8" 0.01
done

# All 65536 states of a torus of 4 x 4, those of 4 x 2, where neighbours above and below are the same, and of 2 x 2.
for torus in '4 4 2.3 0 metropolis' '4 4 4 0.3 metropolis' '4 2 1.8 -0.1 metropolis' '4 4 2.3 0 heat_bath' \
    '2 2 3 0 heat_bath'; do
    set -- $torus
    go "small" grid.size="$1 $2" run.steps=200000 output.metrics_every=4 ising.temperature="$3" ising.field="$4" \
        ising.rule="$5" >/dev/null
    set -- "$torus" $("$oracle" small "$1" "$2" "$3" "$4") $("$oracle" series "$out/small/metrics.csv" 100)
    near "torus of $1: energy" "$2" "$6" "$7" 0.01
    near "torus of $1: its square" "$3" "$8" "$9" 0.03
    near "torus of $1: magnetisation" "$4" "${10}" "${11}" 0.04
    near "torus of $1: its size" "$5" "${12}" "${13}" 0.01
done

# A plain program gives the same spins: at seams, in words that are not full, and with every kind of chances.
for size in '2 2' '6 4' '34 2' '30 66' '130 94' '8200 6'; do
    for rule in 'metropolis 2.269185 0' 'heat_bath 3 -0.4'; do
        set -- $rule
        go steps grid.size="$size" output.every=9 run.steps=9 init.seed=12345678901 ising.rule="$1" \
            ising.temperature="$2" \
            ising.field="$3" >/dev/null
        set -- "$("$oracle" steps "$@" 12345678901 9 "$out"/steps/spin-*0.npy "$out"/steps/spin-*9.npy 2>&1)"
        result "$size, $rule: the same spins as those of a plain program" "$([ "$1" = 0 ] && echo 1)" "$1"
    done
done

# Limits.
go cold init.density=1 grid.size='64 64' run.steps=50 ising.temperature=0.05 >/dev/null
result 'what is ordered stays so in the cold' "$(tail -n 1 "$out/cold/metrics.csv" | grep -q '^50,-2,1$' && echo 1)" \
    "$(tail -n 1 "$out/cold/metrics.csv")"
go up init.density=0 grid.size='64 64' run.steps=50 ising.temperature=0.5 ising.field=5 >/dev/null
result 'a strong field turns all spins' "$(tail -n 1 "$out/up/metrics.csv" | grep -q '^50,-7,1$' && echo 1)" \
    "$(tail -n 1 "$out/up/metrics.csv")"

# The same bits whatever the threads; others from another seed.
hash_of()
{
    go hash grid.size='130 94' run.steps=60 "$@" | sed -n 's/.*"hash": *"\([0-9a-f]*\)".*/\1/p'
}
one=$(hash_of)
for threads in 2 3 7; do
    two=$(hash_of run.threads=$threads)
    result "$threads threads give the same spins as one" "$([ -n "$one" ] && [ "$one" = "$two" ] && echo 1)" \
        "$two, not $one"
done

# The same spins and metrics whatever the parts. Parts begin and end within pairs of rows, too, and margins may be
# deeper than the grid.
for grid in '34 12 metropolis' '66 26 heat_bath'; do
    set -- $grid
    set -- grid.size="$1 $2" ising.rule="$3" ising.field=0.1 run.steps=23 output.metrics_every=4
    whole=$(hash_of "$@") metrics=$(cat "$out/hash/metrics.csv")
    for cut in 2:0 3:3 3:4 4:5 5:0 5:6 5:40; do
        rm -f "$out/hash/metrics.csv"
        two=$(hash_of "$@" run.parts=${cut%:*} run.margin=${cut#*:})
        result "$grid: ${cut%:*} parts with margins of ${cut#*:} equal the whole" \
            "$([ -n "$whole" ] && [ "$whole" = "$two" ] && [ "$metrics" = "$(cat "$out/hash/metrics.csv")" ] \
            && echo 1)" "$two, not $whole"
    done
done

two=$(hash_of init.seed=43)
result 'another seed gives others' "$([ -n "$two" ] && [ "$one" != "$two" ] && echo 1)" "$two"

go odd grid.size='65 64' 2>"$out/said" >/dev/null
result 'odd sides are refused' "$([ $? = 2 ] && grep -q 'even sides' "$out/said" && echo 1)" "$(cat "$out/said")"
"$engine" verify ising.ini --plugins "${PLUGINS:-.}" --set grid.size='100 38' >"$out/said" 2>&1
result 'all implementations agree, whatever the steps of a call' "$([ $? = 0 ] && echo 1)" "$(cat "$out/said")"
exit $failed
