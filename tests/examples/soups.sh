#!/bin/bash
# examples/soups builds from the installed files, and its table agrees with single runs of the program.
. "$(dirname "$0")/../lib.sh"

expect 'make install' make -s -o all PREFIX="$TMP/usr" BUILD="${BUILD#"$ROOT/"}" install
cp -r examples/soups "$TMP/soups"
cd "$TMP/soups" || exit 1
export PKG_CONFIG_PATH=$TMP/usr/lib/pkgconfig
expect 'it builds' make CC="${CC:-cc}" CFLAGS="-O2 -Wall -Wextra -Wpedantic ${SANITIZE:+-fsanitize=address,undefined}"
expect_status 0 ./soups 20 32 3000
expect_equal 'the periods of all soups are counted' "$(awk '{sum += $1 == "period" ? $3 : $2} END {print sum}' \
    "$TMP/stdout")" 20
expect_equal 'a row for each soup' "$(wc -l <soups.csv)" 21
expect_equal 'the bars hold all soups' "$(sed -n "s|.*: \([0-9]*\)<.title>.*|\1|p" soups.svg | awk \
    "{sum += \$1} END {print sum}")" 20

# single SEED STEP: the hash and the population
single() {
    "$ENGINE" run --quiet --force --set run.plugin=life2d-bit --set grid.size='32 32' --set init.source=random \
        --set init.seed="$1" \
        --set run.steps="$2" --set run.output="$TMP/single" --set run.implementation=cpu-serial \
        --json "$TMP/empty.ini" >"$TMP/json" || return
    echo "$(sed -n 's/.*"hash": *"\([0-9a-f]*\)".*/\1/p' "$TMP/json") $(tail -n 1 "$TMP/single/metrics.csv" | cut -d, \
        -f2)"
}
: >"$TMP/empty.ini"

for seed in 1 7 20; do
    IFS=, read -r _ population period <<<"$(sed -n "$((seed + 1))p" soups.csv)"
    read -r hash alone <<<"$(single "$seed" 3000)"
    expect_equal "seed $seed: the population is that of the single run" "$population" "$alone"
    expect "seed $seed has a period" test "$period" -gt 0
    read -r later _ <<<"$(single "$seed" $((3000 + period)))"
    expect_equal "seed $seed: after the period of $period steps the state returns" "$later" "$hash"
    [ "$period" -eq 1 ] || expect_not "seed $seed: and not before" test "$(single "$seed" $((3000 + period / 2)) \
        | cut -d' ' -f1)" = "$hash"
done
plan
