#!/bin/bash
# Facts about rules other than Life. They are published, or follow directly from the rule.
. "$(dirname "$0")/common"

random='init.source=random init.seed=5'

for impl in $implementations; do
    # HighLife: replicators behave as the cells of Rule 90 do, along a diagonal: two copies after 12 generations, and
    # 2^k of them after 12 n, where n has k ones in binary.
    mapfile -t settings < <(pattern replicator)
    life highlife "$impl" B36/S23 '211 203' 96 output.every=12 "${settings[@]}"
    expect_equal "$impl: HighLife's replicators double as the ones of n do" "$(populations highlife)" \
        '12 24 24 48 24 48 48 96 24'
    for step in 12 24 48 96; do
        "$cells" move $((step / 6)) $((step / 6)) "$(at highlife 0)" "$TMP/a.npy"
        "$cells" move $((-step / 6)) $((-step / 6)) "$(at highlife 0)" "$TMP/b.npy"
        "$cells" xor "$TMP/a.npy" "$TMP/b.npy" "$TMP/two.npy"
        expect_cells "$impl: after $step generations there are two" "$(at highlife $step)" "$TMP/two.npy"
    done

    # Fredkin's replicator B1357/S1357: a cell is the parity of its eight neighbours, which is linear; after 2^k
    # generations any pattern stands there eight times, 2^k cells away.
    life fredkin "$impl" B1357/S1357 '131 67' 32 output.every=16 $random init.density=0.2
    for step in 16 32; do
        cp "$(at fredkin 0)" "$TMP/sum.npy"
        "$cells" xor "$TMP/sum.npy" "$TMP/sum.npy" "$TMP/sum.npy"
        for dx in -$step 0 $step; do
            for dy in -$step 0 $step; do
                [ "$dx $dy" = '0 0' ] && continue
                "$cells" move "$dx" "$dy" "$(at fredkin 0)" "$TMP/moved.npy"
                "$cells" xor "$TMP/sum.npy" "$TMP/moved.npy" "$TMP/sum.npy"
            done
        done
        expect_cells "$impl: any pattern stands there eight times after $step generations" "$(at fredkin $step)" \
            "$TMP/sum.npy"
    done

    # Day & Night B3678/S34678 treats live and dead alike: the inverse's future is the future's inverse.
    life day "$impl" B3678/S34678 '97 53' 40 output.every=40 $random
    "$cells" invert "$(at day 0)" "$TMP/night.npy"
    life night "$impl" B3678/S34678 '97 53' 40 init.source=arrays "init.cells=$TMP/night.npy"
    "$cells" invert "$(at night 40)" "$TMP/day.npy"
    expect_cells "$impl: Day & Night does the inverse to the inverse" "$(at day 40)" "$TMP/day.npy"
    expect "$impl: and something at all" test "$(population day 40)" -gt 0

    # Seeds B2/S: every cell dies at once. Two side by side give four (those above and below), then six.
    printf 'x = 2, y = 1, rule = B2/S\n2o!\n' >"$TMP/domino.rle"
    life seeds "$impl" B2/S '31 33' 2 output.every=1 "init.file=$TMP/domino.rle"
    expect_equal "$impl: Seeds makes 2, 4, 6 of a domino" "$(populations seeds)" '2 4 6'
    life soup "$impl" B2/S '101 77' 9 output.every=1 $random init.density=0.1
    for step in 0 4 8; do
        expect "$impl: no seed lives on after generation $step" "$cells" apart "$(at soup $step)" \
            "$(at soup $((step + 1)))"
    done

    # Life without Death: what lives stays.
    life ladder "$impl" B3/S012345678 '101 77' 9 output.every=1 $random init.density=0.1
    for step in 0 4 8; do
        expect "$impl: Life without Death keeps generation $step" "$cells" within "$(at ladder $step)" \
            "$(at ladder $((step + 1)))"
    done
    expect "$impl: and grows" test "$(population ladder 9)" -gt "$(population ladder 0)"

    # B0: from nothing comes everything, and with eight neighbours nothing again, unless S8.
    life flash "$impl" B0/S '53 31' 4 output.every=1
    expect_equal "$impl: B0/S flashes" "$(populations flash)" '0 1643 0 1643 0'
    life full "$impl" B0/S8 '65 3' 3 output.every=1
    expect_equal "$impl: B0/S8 fills up" "$(populations full)" '0 195 195 195'
    # Nothing is born and all stay; nothing stays.
    life still "$impl" B/S012345678 '70 41' 5 output.every=5 $random
    expect_cells "$impl: B/S012345678 leaves everything as it is" "$(at still 5)" "$(at still 0)"
    life gone "$impl" B/S '70 41' 1 output.every=1 $random
    expect_equal "$impl: B/S leaves nothing" "$(population gone 1)" 0
done
plan
