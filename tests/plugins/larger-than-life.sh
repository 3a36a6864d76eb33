#!/bin/sh
# larger-than-life: facts that do not come from its code. Prints TAP.
# ENGINE: the engine's program; PLUGINS: the folder of larger-than-life.so; ORACLE: the program that `make oracle` builds.
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

# equal NAME FOUND EXPECTED
equal()
{
    result "$1" "$([ "$2" = "$3" ] && echo 1)" "$2, not $3"
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
    "$engine" run larger-than-life.ini --plugins "${PLUGINS:-.}" --quiet --force --set output.formats=npy \
        --set output.every=0 --set run.threads=2 --set run.output="$out/$folder" "$@" >/dev/null
}

last()
{
    find "$out/$1" -name 'cells-*.npy' | sort | tail -n 1
}

echo 1..70

# compare DENSITY 'R M S1 S2 B1 B2' SIZE…: three steps from random cells on tori, some smaller than the square.
compare()
{
    density=$1 rule=$2
    shift 2
    for size; do
        set -- $rule
        text="R$1,C0,M$2,S$3..$4,B$5..$6"
        for steps in 0 3; do
            go "cells$steps" init.density="$density" grid.size="$size" run.steps=$steps larger-than-life.rule="$text"
        done
        equal "$text, $size" "$("$oracle" steps "$(last cells0)" "$(last cells3)" 3 "$@")" 0
    done
}
for rule in '5 1 34 58 34 45' '5 0 34 57 34 45' '4 1 41 81 41 81' '1 0 2 3 3 3' '7 1 65 114 65 95'; do
    compare 0.45 "$rule" '61 47' '200 3' '3 131'
done
for rule in '2 1 12 20 13 18' '3 0 24 40 25 45' '10 1 221 300 221 441' '16 1 545 1089 545 1000' '31 0 1984 3900 1985 3900' \
    '32 0 2112 4000 2113 4225' '33 1 2245 4489 2245 4000' '50 0 5100 10000 5101 10200'; do
    compare 0.5 "$rule" '400 9' '7 300'
done

# fly FILE STEPS RIGHT DOWN NAME: what was published about it; files say of what rule they are.
fly()
{
    for steps in 0 "$2"; do
        go "fly$steps" init.source=file init.file="$1" grid.size='150 100' run.steps="$steps" output.metrics_every=1
    done
    equal "$5" "$("$oracle" moved "$(last fly0)" "$(last "fly$2")" "$3" "$4")" 0
}
fly bug-4-5.rle 5 4 0 'a bug of speed 4/5'
fly bug-5-6.rle 6 5 0 'a bug of speed 5/6'
fly bug-8-16.rle 16 8 8 'a bug of speed 8/16, diagonal'
fly jitterbug.rle 40 4 0 'Jitterbug: 4 cells to the east in 40 steps'
fly butterfly.rle 31 9 0 'Butterfly: 9 cells in 31 steps'
equal 'Butterfly: from 37 to 370 cells' "$(awk -F, 'NR > 1 { print $2 }' "$out/fly31/metrics.csv" | sort -n | sed -n '1p;$p' |
    paste -sd' ')" '37 370'

# Rules that are none.
for rule in R5 R5,C0,M1,S34..58,B34 R0,C0,M1,S1..1,B1..1 R51,C0,M1,S1..1,B1..1 R5,C3,M1,S34..58,B34..45 \
    R5,C0,M2,S34..58,B34..45 R5,C0,M1,S58..34,B34..45 R5,C0,M1,S34..58,B34..122 R5,C0,M1,S34..58,B34..45,NN \
    'R5,C0,M1,S34..58, B34..45' R-5,C0,M1,S34..58,B34..45; do
    go refused larger-than-life.rule="$rule" 2>"$out/said"
    equal "the rule $rule is refused" $? 2
done

# agree RULE SIZES
agree()
{
    "$engine" verify larger-than-life.ini --plugins "${PLUGINS:-.}" --set larger-than-life.rule="$1" --steps 6 \
        --sweep grid.size="$2" >"$out/said" 2>&1
    result "all implementations agree, whatever the steps of a call: $1" "$([ $? = 0 ] && echo 1)" "$(cat "$out/said")"
}
agree R5,C0,M1,S34..58,B34..45 '1 1,33 7,150 131,1100 40'
agree R50,C0,M1,S5101..9000,B5101..10201 '1 1,33 7,600 9'

# The same cells and population whatever the parts, of one row or of many, and margins that may be deeper than the grid.
# divided IMPLEMENTATION SIZE RULE
divided()
{
    set -- "$1" "$2" run.steps=7 output.metrics_every=1 run.implementation="$1" grid.size="$2" larger-than-life.rule="$3"
    name="$1, $2, ${7#*=}"
    shift 2
    go whole "$@"
    for cut in 2:0 3:50 3:120 4:101 5:0; do
        rm -rf "$out/parts"
        go parts "$@" run.parts=${cut%:*} run.margin=${cut#*:}
        result "$name: ${cut%:*} parts with margins of ${cut#*:} equal the whole" "$(cmp -s "$(last parts)" "$(last whole)" &&
            cmp -s "$out/parts/metrics.csv" "$out/whole/metrics.csv" && echo 1)" different
    done
}
divided auto '61 47' R5,C0,M1,S34..58,B34..45
divided auto '33 5' R50,C0,M1,S5101..9000,B4000..10201
divided cpu '200 7' R5,C0,M1,S34..58,B34..45
divided cpu-serial '31 7' R5,C0,M1,S34..58,B34..45
exit $failed
