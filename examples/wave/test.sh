#!/bin/sh
# wave: facts that do not come from its code. Prints TAP.
# ENGINE: the engine's program; PLUGINS: the folder of wave.so.
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

# same FOLDER STEP STEP: 1 if the heights are the same.
same()
{
    cmp -s "$out/$1/height-000000000$2.npy" "$out/$1/height-000000000$3.npy" && echo 1
}

"$engine" describe wave --plugins "${PLUGINS:-.}" >"$out/described" || exit 1
"$engine" verify wave.ini --plugins "${PLUGINS:-.}" --set grid.size='100 37' >"$out/said" 2>&1
verified=$?

echo 1..13
result 'nothing differs from the reference' "$([ $verified = 0 ] && echo 1)" "$(cat "$out/said")"
for implementation in cpu cpu-fortran cuda cuda-triton; do
    missing=$(sed -n "s/^ *$implementation  *rank.*not available: *//p" "$out/described")
    if [ -n "$missing" ]; then
        for fact in 1 2 3; do
            count=$((count + 1))
            echo "ok $count - $implementation: fact $fact # SKIP $missing"
        done
        continue
    fi
    # With two cells and a speed of 1/2, the heights are 1, 0, -1, -1, 0, 1 and again 1, and no step is rounded.
    "$engine" run wave.ini --plugins "${PLUGINS:-.}" --quiet --force --set run.implementation=$implementation \
        --set grid.size='2 1' --set init.source=cosine --set wave.speed=0.5 --set run.steps=6 --set output.every=3 \
        --set output.formats=npy --set run.output="$out/$implementation" >/dev/null 2>"$out/error"
    result "$implementation: two cells swing with a period of six steps" "$(same $implementation 0 6)" \
        "$(cat "$out/error")"
    result "$implementation: after three steps they are elsewhere" \
        "$([ "$(same $implementation 0 3)" != 1 ] && echo 1)" 'the same'
    result "$implementation: it has the bits of the reference" \
        "$(grep -Eq "^  $implementation  *(bit-equal|the reference)" "$out/said" && echo 1)" "$(cat "$out/said")"
done
exit $failed
