#!/bin/bash
# generations against plain loops and against Golly, and its rules in configurations and pattern files.
. "$(dirname "$0")/../lib.sh"
export OMP_WAIT_POLICY=passive # waiting threads that spin would take the cores of others
[ -e "$BUILD/plugins/generations.so" ] || skip_all 'generations was not built'
cat >"$TMP/soup.ini" <<END
[run]
plugin = generations
output = $TMP/out
[grid]
size = 1 1
[init]
source = random
density = 0.4
[output]
formats = npy rle
END

# ---- Plain loops

read -r -a cxx <<<"${CXX:-g++}"
if command -v "${cxx[0]}" >/dev/null; then
    expect 'the plain loops and the kernels are compiled' "${cxx[@]}" -std=c++17 -O1 -U_FORTIFY_SOURCE -Wall -Wextra \
        -Werror \
        -Wno-unknown-pragmas -Iplugins -Iinclude tests/plugins/generations.cpp -o "$TMP/plain"
    expect_status 0 "$TMP/plain" kernels
    expect_equal 'the CUDA kernels on the host agree with plain loops' "$(grep -c '^ok' "$TMP/stdout")" 14
    # RULE in the configuration, and with - for no digits
    for rule in '/2/3 2/-/3' '345/2/4 2/345/4' 'b2/s/g3 2/-/3' 'S23/B36/2 36/23/2' '12/34/256 34/12/256' '0/0/7 0/0/7' \
        '012345678//5 -/012345678/5' '/012345678/C9 012345678/-/9'; do
        wrong=''
        for size in '1 1' '2 1' '3 5' '64 3' '97 61' '200 33'; do
            for implementation in cpu cpu-serial; do
                "$ENGINE" run "$TMP/soup.ini" --quiet --force --set run.implementation=$implementation \
                    --set run.steps=19 \
                    --set output.every=19 --set run.threads=2 --set grid.size="$size" \
                    --set generations.rule="${rule% *}" 2>"$TMP/stderr" &&
                    "$TMP/plain" 19 "${rule#* }" "$TMP/out/cells-0000000000.npy" "$TMP/out/cells-0000000019.npy" ||
                    wrong+=" $implementation on $size $(cat "$TMP/stderr")"
            done
        done
        expect_equal "${rule% *}: 19 steps are those of plain loops" "$wrong" ''
    done
else
    skip 'plain loops' 'there is no C++ compiler'
fi

# The parts of a divided run are those of the whole.
expect_status 0 "$ENGINE" verify "$TMP/soup.ini" --impl cpu --steps 7 --set generations.rule=345/2/4 \
    --sweep run.parts:run.margin='2:0,3:3' --sweep grid.size='97 61,33 40'
expect_equal 'parts' "$(grep -c 'bit-equal after 1, 2, 7 steps' "$TMP/stdout")" 4

# ---- Golly

if command -v bgolly >/dev/null; then
    for rule in /2/3 345/2/4 2/13/21 12/34/256 3458/37/4 23/3/2; do
        expect_status 0 "$ENGINE" run "$TMP/soup.ini" --quiet --force --set run.steps=20 --set output.every=20 \
            --set output.metrics_every=1 --set grid.size='97 61' --set generations.rule=$rule
        bgolly -a Generations -m 20 -i 1 "$TMP/out/cells-0000000000.rle" |
            sed -n 's/^[0-9]*: \([0-9,]*\)$/\1/p' | tr -d , >"$TMP/golly"
        expect_equal "$rule: 21 populations, as bgolly counts them" \
            "$(tail -n +2 "$TMP/out/metrics.csv" | awk -F, '{ print $2 + $3 }' | xargs)" "$(xargs <"$TMP/golly")"
    done
else
    skip 'Golly' 'bgolly is not installed (Debian: golly)'
fi

# ---- Rules and states of files

printf 'x = 4, y = 2, rule = 345/2/4:T20,10\n.ABC$2.2A!\n' >"$TMP/pattern.rle"
run_pattern() {
    run "$ENGINE" run "$TMP/soup.ini" --quiet --force --set init.source=file --set init.file="$TMP/pattern.rle" \
        --set grid.size='20 10' --set run.steps=1 --set output.every=1 "$@"
}
sed -i '/^density/d' "$TMP/soup.ini"
run_pattern
expect_equal 'a pattern with its rule runs' "$status $(cat "$TMP/stderr")" '0 '
expect_equal 'its states and its rule come back' "$(tail -n 2 "$TMP/out/cells-0000000000.rle")" \
    $'x = 20, y = 10, rule = 345/2/4:T20,10\n4$9.ABC$10.2A!'
run_pattern --set generations.rule=/2/3
expect_equal 'a state that the rule does not have' "$status" 3
expect_stderr_has "$TMP/pattern.rle: cell 3 0 of the pattern is 3; field cells takes 0 to 2"
printf 'x = 4, y = 2, rule = B3/S23\n4o!\n' >"$TMP/pattern.rle"
run_pattern
expect_equal 'a rule of Life' "$status" 3
expect_stderr_has 'rule = B3/S23: not a rule: it ends too early'
expect_stderr_has '; life2d-bit takes this rule'

# Random cells take the states of the rule.
expect_status 0 "$ENGINE" run "$TMP/soup.ini" --quiet --force --set run.steps=0 --set grid.size='97 61' \
    --set generations.rule=345/2/6
expect_equal 'random states' "$(tail -n +2 "$TMP/out/cells-0000000000.rle" | grep -v '^[#x]' | grep -o '[A-Z]' \
    | sort -u | tr -d '\n')" ABCDE

while read -r rule message; do
    expect_status 2 "$ENGINE" check "$TMP/soup.ini" --set grid.size='9 9' --set generations.rule="$rule"
    expect_stderr_has "$message"
done <<'END'
B9/S/G3 at character 2, '9': expected digits from 0 to 8
B2/B3/3 at character 4, 'B': B or S is given twice
3/4 it ends too early
/2/1 the number of states is not from 2 to 256
/2/257 the number of states is not from 2 to 256
/2/ the number of states is missing
/2/3z at character 5, 'z': unexpected text
x/2/3 at character 1, 'x': expected survival/birth/states
END
plan
