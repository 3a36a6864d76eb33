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

echo 1..36

# Cell by cell, from random cells on odd tori, some smaller than the square.
for rule in '5 1 34 58 34 45' '5 0 34 57 34 45' '4 1 41 81 41 81' '10 1 154 262 133 265' '1 0 2 3 3 3' '7 1 65 114 65 95'; do
    for size in '61 47' '200 3' '3 131'; do
        set -- $rule
        text="R$1,C0,M$2,S$3..$4,B$5..$6"
        for steps in 0 6; do
            go "cells$steps" init.density=0.45 grid.size="$size" run.steps=$steps larger-than-life.rule="$text"
        done
        equal "$text, $size" "$("$oracle" steps "$(last cells0)" "$(last cells6)" 6 "$@")" 0
    done
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
for rule in R5 R5,C0,M1,S34..58,B34 R0,C0,M1,S1..1,B1..1 R11,C0,M1,S1..1,B1..1 R5,C3,M1,S34..58,B34..45 \
    R5,C0,M2,S34..58,B34..45 R5,C0,M1,S58..34,B34..45 R5,C0,M1,S34..58,B34..122 R5,C0,M1,S34..58,B34..45,NN \
    'R5,C0,M1,S34..58, B34..45' R-5,C0,M1,S34..58,B34..45; do
    go refused larger-than-life.rule="$rule" 2>"$out/said"
    equal "the rule $rule is refused" $? 2
done
"$engine" verify larger-than-life.ini --plugins "${PLUGINS:-.}" --set grid.size='150 131' >"$out/said" 2>&1
result 'all implementations agree, whatever the steps of a call' "$([ $? = 0 ] && echo 1)" "$(cat "$out/said")"
exit $failed
