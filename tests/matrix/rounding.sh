#!/bin/bash
# matrix: sums and multiply-adds that were computed by hand, bit by bit, for values at which one rounding and two
# roundings differ, on every implementation that can run here.
. "$(dirname "$0")/../lib.sh"
. "$ROOT/tests/npy.sh"

cat >"$TMP/matrix.ini" <<'INI'
[run]
plugin = matrix
[init]
source = arrays
INI
mapfile -t implementations < <("$ENGINE" describe matrix | awk '$2 == "rank" && !/not available/ { print $1 }')
expect 'there are implementations' test "${#implementations[@]}" -ge 2

# result BYTES OPERATION FUSED A B C WANTED: all by their bits; many at once with commas between them.
result() {
    local bytes=$1 operation=$2 fused=$3 wanted=${7//,/ } descr='<f4' pack=L name implementation
    [ "$bytes" = 8 ] && descr='<f8' pack=Q
    for name in a:$4 b:$5 c:$6; do
        local values
        IFS=, read -r -a values <<<"${name#*:}"
        npy "$TMP/${name%%:*}.npy" "$descr" "1, ${#values[@]}" "$pack" "${values[@]/#/0x}"
    done
    for implementation in "${implementations[@]}"; do
        run "$ENGINE" run "$TMP/matrix.ini" --quiet --force --set run.output="$TMP/out" \
            --set run.implementation="$implementation" --set matrix.operation="$operation" \
            --set matrix.fused="$fused" --set init.a="$TMP/a.npy" --set init.b="$TMP/b.npy" --set init.c="$TMP/c.npy"
        [ "$status" = 0 ] || not_ok "$implementation runs" "$(cat "$TMP/stderr")"
        expect_equal "$implementation, $operation, fused = $fused, $bytes bytes: $8" \
            "$(bits "$TMP/out/c-0000000001.npy" "$bytes")" "$wanted"
    done
}

# (1 + 2^-12)^2 - 1 is 2^-11 + 2^-24; the last term is lost where the product is rounded.
result 4 mad no 3f800800 3f800800 bf800000 3a000000 '(1 + 2^-12)^2 - 1'
result 4 mad yes 3f800800 3f800800 bf800000 3a000400 '(1 + 2^-12)^2 - 1'
# (1 + 2^-12)^2 - (1 + 2^-11) is 2^-24: all of it is lost.
result 4 mad no 3f800800 3f800800 bf801000 00000000 '(1 + 2^-12)^2 - (1 + 2^-11)'
result 4 mad yes 3f800800 3f800800 bf801000 33800000 '(1 + 2^-12)^2 - (1 + 2^-11)'
# 2^64 2^64 - 2^127 is 2^127, unless the product is infinite first.
result 4 mad no 5f800000 5f800000 ff000000 7f800000 'a product beyond the range'
result 4 mad yes 5f800000 5f800000 ff000000 7f000000 'a product beyond the range'
# 2^-75 2^-75 + 2^-149 is 1.5 x 2^-149: half way, to even. The product alone is half way to zero.
result 4 mad no 1a000000 1a000000 00000001 00000001 'a product below the range'
result 4 mad yes 1a000000 1a000000 00000001 00000002 'a product below the range'
# A negative product that vanishes is -0, and -0 + 0 is 0; rounded once, it is a negative number that vanishes.
result 4 mad no 00000001 80000001 00000000 00000000 'the sign of nothing'
result 4 mad yes 00000001 80000001 00000000 80000000 'the sign of nothing'
# No number: a payload, infinity times zero, and infinity less infinity, all give the same bits. Then four exact ones.
for fused in no yes; do
    result 4 mad $fused 7fc12345,ff812345,7f800000,7f800000,80000000,3f800000,7f800000,00000001 \
        3f800000,3f800000,00000000,3f800000,3f800000,3f800000,40000000,3f800000 \
        3f800000,3f800000,3f800000,ff800000,80000000,3f800000,40000000,00000001 \
        7fc00000,7fc00000,7fc00000,7fc00000,80000000,40000000,7f800000,00000002 'no numbers, and exact ones'
done
# Sums half way: to even.
result 4 add no 3f800000,3f800001,7f7fffff,00800000,7f800000 33800000,33800000,73000000,80000001,ff800000 \
    7fc00000,7fc00000,7fc00000,7fc00000,7fc00000 3f800000,3f800002,7f800000,007fffff,7fc00000 \
    'half way, overflow, denormal, no number; what c was is forgotten'

# In double precision: (1 + 2^-30)^2 - 1 is 2^-29 + 2^-60.
result 8 mad no 3ff0000000400000 3ff0000000400000 bff0000000000000 3e20000000000000 '(1 + 2^-30)^2 - 1'
result 8 mad yes 3ff0000000400000 3ff0000000400000 bff0000000000000 3e20000000200000 '(1 + 2^-30)^2 - 1'
result 8 add no 3ff0000000000000,7ff0000000000000 3ca0000000000000,fff0000000000000 0000000000000000,0000000000000000 \
    3ff0000000000000,7ff8000000000000 'half way, and no number'

expect_status 0 "$ENGINE" verify configs/matrix.ini
expect_status 0 "$ENGINE" verify configs/matrix.ini --set matrix.fused=no
expect_status 2 "$ENGINE" run configs/matrix.ini --set run.output="$TMP/no" --set matrix.element=int32
expect_stderr_has '[matrix] element must be float32 or float64'
expect_status 2 "$ENGINE" run configs/matrix.ini --set run.output="$TMP/no" --set matrix.fuse=yes
expect_stderr_has "did you mean 'fused'"
plan
