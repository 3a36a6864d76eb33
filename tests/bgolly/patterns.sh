#!/bin/bash
# Compares patterns of Golly's collection on tori with Golly's HashLife: the same cells are alive.
. "$(dirname "$0")/../lib.sh"
export OMP_WAIT_POLICY=passive # waiting threads that spin would take the cores of others

collection=${GOLLY_PATTERNS:-/usr/share/golly/Patterns}
wanted=40 # patterns
[ -e "$BUILD/plugins/life2d-bit.so" ] || skip_all 'life2d-bit was not built'
command -v bgolly >/dev/null || skip_all 'bgolly is not installed (Debian: golly)'
[ -d "$collection/Life" ] || skip_all "there are no patterns in $collection"
read -r -a cc <<<"${CC:-cc}"
"${cc[@]}" -std=c11 -O2 -o "$TMP/compare" tests/bgolly/compare.c || {
    echo 'Bail out! compare.c does not compile'
    exit 1
}

# Lines `width height rule file` of two-state patterns that are not too large.
candidates() {
    find "$collection/Life" "$collection/Life-Like" -name '*.rle' | LC_ALL=C sort | while read -r file; do
        sed -n 's/\r$//; /^[[:space:]]*x *= */ { s/^[[:space:]]*x *= *\([0-9]*\), *y *= *\([0-9]*\)\(, *rule *= *\([^ ]*\)\)\{0,1\}.*$/\1 \2 \4/p; q; }' \
            "$file" | while read -r width height rule; do
            [[ ${rule:=B3/S23} =~ ^B[1-8]*/S[0-8]*$ ]] && ((width <= 500 && height <= 500)) &&
                echo "$width $height $rule $file"
        done
    done
}

# The cells of a pattern file: what follows its header line.
body() {
    sed 's/\r$//' "$1" | awk 'found { print } /^[[:space:]]*x *=/ { found = 1 }'
}

# One pattern: width height rule file generations margin-x margin-y
compare_pattern() {
    local w=$(($1 + $6)) h=$(($2 + $7)) rule=$3 file=$4 generations=$5
    local name="${file#"$collection"/}, $generations generations on $w x $h"
    # Near the torus's first corner, so that what grows meets the seams.
    {
        echo "#CXRLE Pos=$((-(w / 2) + $6 / 3)),$((-(h / 2) + $7 / 3))"
        echo "x = $1, y = $2, rule = $rule:T$w,$h"
        body "$file"
    } >"$TMP/pattern.rle"
    rm -f "$TMP/golly.mc"
    bgolly -q -q -a HashLife -m "$generations" -o "$TMP/golly.mc" "$TMP/pattern.rle" >"$TMP/golly.log" 2>&1
    [ -e "$TMP/golly.mc" ] || {
        not_ok "$name" 'bgolly wrote nothing' "$(tail -n 3 "$TMP/golly.log")"
        return
    }
    printf '[run]\nplugin = life2d-bit\nsteps = %s\n[init]\nfile = pattern.rle\n' "$generations" >"$TMP/pattern.ini"
    run "$ENGINE" run "$TMP/pattern.ini" --quiet --force --set "run.output=$TMP/out"
    [ "$status" = 0 ] || {
        not_ok "$name" "exit status $status" "$(cat "$TMP/stderr")"
        return
    }
    expect "$name" "$TMP/compare" "$TMP/golly.mc" "$(printf '%s/out/cells-%010d.npy' "$TMP" "$generations")"
    rm -rf "$TMP/out"
}

candidates >"$TMP/candidates"
total=$(wc -l <"$TMP/candidates")
[ "$total" -gt 0 ] || skip_all "no fitting patterns in $collection"
step=$((total > wanted ? total / wanted : 1))
index=0 taken=0
while read -r width height rule file; do
    index=$((index + 1))
    [ $((index % step)) = 0 ] && [ $taken -lt $wanted ] || continue
    taken=$((taken + 1))
    compare_pattern "$width" "$height" "$rule" "$file" $((100 + taken * 37 % 200)) $((6 + taken * 5 % 23)) \
        $((5 + taken * 7 % 19))
done <"$TMP/candidates"
plan
