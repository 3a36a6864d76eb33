#!/bin/bash
# Block cellular automata against plain loops, bgolly, conserved quantities, and their own past.
. "$(dirname "$0")/../lib.sh"
export OMP_WAIT_POLICY=passive # waiting threads that spin would take the cores of others
[ -e "$BUILD/plugins/margolus.so" ] || skip_all 'margolus was not built'
cat >"$TMP/soup.ini" <<END
[run]
plugin = margolus
threads = 2
[grid]
size = 98 62
[init]
source = random
[output]
every = 0
formats = npy
END

# go FOLDER CONFIGURATION|PATTERN [KEY=VALUE]…
go() {
    local folder=$1 file=$2 settings=() setting
    for setting in "${@:3}"; do
        settings+=(--set "$setting")
    done
    rm -rf "${TMP:?}/$folder"
    "$ENGINE" run "$file" --quiet --set run.output="$TMP/$folder" "${settings[@]}" 2>"$TMP/stderr"
}

soup() { go "$1" "$TMP/soup.ini" "${@:2}"; }
at() { printf '%s/%s/cells-%010d.%s' "$TMP" "$1" "$2" "${3:-npy}"; }
body() { sed -n '/^x = /,$p' "$1"; }
populations() { awk -F, 'NR > 1 { print $2 }' "$TMP/$1/metrics.csv" | sort -n | uniq | xargs; }

# ---- Plain loops

swap=M0,8,4,12,2,10,6,14,1,9,5,13,3,11,7,15 random=M7,3,12,0,9,9,14,2,1,15,4,11,8,6,5,10
critters=M15,14,13,3,11,5,6,1,7,9,10,2,12,4,8,0 sand=M0,4,8,12,4,12,12,13,8,12,12,14,12,13,14,15
read -r -a cxx <<<"${CXX:-g++}"
if command -v "${cxx[0]}" >/dev/null; then
    expect 'the plain loops and the kernels are compiled' "${cxx[@]}" -std=c++17 -O1 -U_FORTIFY_SOURCE -Wall -Wextra \
        ${WERROR:+-Werror} -Wno-unknown-pragmas -Iplugins -Iinclude tests/plugins/margolus.cpp -o "$TMP/plain"
    expect_status 0 "$TMP/plain" kernels
    expect_equal 'the CUDA kernels on the host agree with plain loops' "$(grep -c '^ok' "$TMP/stdout")" 8
    # compare RULE EDGES SIZE…
    compare() {
        local wrong='' size implementation
        for size in "${@:3}"; do
            for implementation in cpu cpu-serial; do
                soup loops run.implementation=$implementation run.steps=37 output.every=37 grid.size="$size" \
                    grid.edges="$2" margolus.rule="$1" &&
                    "$TMP/plain" 37 "${1#M}" "$2" "$(at loops 0)" "$(at loops 37)" ||
                    wrong+=" $implementation on $size $(cat "$TMP/stderr")"
            done
        done
        expect_equal "$1, $2: 37 steps are those of plain loops" "$wrong" ''
    }
    for rule in $swap $random $critters $sand; do
        compare $rule torus '2 2' '4 2' '2 34' '64 64' '98 62' '130 700' '1026 40'
        compare $rule dead '1 1' '1 2' '3 1' '64 64' '97 61' '127 701' '1025 40'
    done
else
    skip 'plain loops' 'there is no C++ compiler'
fi

# ---- All implementations, instruction sets, edges, and parts

# agree COUNT NAME [OPTION]…: so many comparisons with the reference
agree() {
    expect_status 0 "$ENGINE" verify "$TMP/soup.ini" --steps 39 --set margolus.rule=$random "${@:3}"
    expect_equal "$2: all agree" "$(grep -c ' bit-equal after 1, 2, 7, 39 steps' "$TMP/stdout")" "$1"
}
instructions=auto,avx2,plain
grep -q avx2 /proc/cpuinfo 2>/dev/null || instructions=auto,plain,plain
agree 12 'instructions and steps of a pass' --impl cpu --sweep margolus.instructions=$instructions \
    --sweep margolus.steps_per_pass=1,5,16,31 --set grid.size='190 1000'
agree 20 'other edges' --impl cpu --sweep grid.size='98 62,126 1,64 128,2 1000' \
    --sweep grid.edges='dead,mirror,dead mirror,torus dead,torus mirror'
agree 16 'fixed edges' --impl cpu --set grid.edge_value=1 --sweep grid.size='98 62,63 61,64 127,1 2' \
    --sweep grid.edges='fixed,dead fixed,fixed dead,mirror fixed'
agree 3 'hashlife' --impl hashlife --sweep grid.size='64 64,128 256,512 64'
for implementation in cpu cpu-serial; do
    for edges in torus 'torus dead'; do
        for size in '98 62' '130 200'; do
            settings=(run.implementation=$implementation grid.size="$size" grid.edges="$edges" run.steps=31
                output.every=31 output.metrics_every=1 margolus.rule=$random)
            soup whole "${settings[@]}"
            wrong=
            for cut in 2:0 3:9 3:50 4:7 5:1; do
                soup parts "${settings[@]}" run.parts="${cut%:*}" run.margin="${cut#*:}" &&
                    cmp "$(at parts 31)" "$(at whole 31)" && cmp "$TMP/parts/metrics.csv" "$TMP/whole/metrics.csv" ||
                    wrong+=" $cut $(cat "$TMP/stderr")"
            done
            expect_equal "$implementation, $edges, $size: parts equal the whole" "$wrong" ''
        done
    done
done

# ---- Golly

# Golly emulates block cellular automata by rules with four states: 1 and 3 are at the upper left of a block, and 3 and
# 4 are alive. If the first cell is not at the upper left of a block, the comparison begins a step later.
patterns=${GOLLY_PATTERNS:-/usr/share/golly/Patterns}/Margolus rules=/usr/share/golly/Rules
live_cells() {
    local header
    header=$(($(od -An -t u2 -j 8 -N 2 "$1") + 10))
    head -c $header "$1"
    tail -c +$((header + 1)) "$1" | tr '\001\002\003\004' '\000\000\001\001'
}
# golly STEPS NAME: the cells that bgolly computes
golly() {
    rm -f "$TMP/golly.rle" "$TMP/golly.npy"
    bgolly -q -q -s $rules/ -a RuleLoader -m "$1" -i 1 -o "$TMP/golly.rle" "$patterns/$2.rle" >/dev/null 2>&1
    "$ENGINE" convert "$TMP/golly.rle" "$TMP/golly.npy" >/dev/null 2>"$TMP/stderr" && live_cells "$TMP/golly.npy"
}
if command -v bgolly >/dev/null && [ -d "$patterns" ] && [ -d $rules ]; then
    while read -r name rule steps; do
        rm -f "$TMP/states.npy"
        "$ENGINE" convert "$patterns/$name.rle" "$TMP/states.npy" >/dev/null 2>&1
        begin=$((1 - $(tail -c +$(($(od -An -t u2 -j 8 -N 2 "$TMP/states.npy") + 11)) "$TMP/states.npy" |
            od -An -t u1 -N 1) % 2))
        if [ $begin = 0 ]; then live_cells "$TMP/states.npy"; else golly 1 "$name"; fi >"$TMP/first.npy"
        golly $((begin + steps)) "$name" >"$TMP/last.npy"
        size=$(sed -n 's/.*:T\([0-9]*\),\([0-9]*\).*/\1 \2/p' "$patterns/$name.rle")
        soup golly init.source=arrays init.cells="$TMP/first.npy" grid.size="$size" run.steps="$steps" \
            output.every="$steps" margolus.rule="$rule"
        expect "$name, $steps steps: the cells that bgolly computes" cmp "$(at golly "$steps")" "$TMP/last.npy"
    done <<'END'
CrittersCircle Critters 201
CrittersOscillators Critters 64
HPP HPP_Gas 51
HPP_large hpp-gas 150
TripATron Tron 77
TripATron_BlockAligned tron 40
END
else
    skip 'Golly' 'bgolly or its patterns are not installed (Debian: golly)'
fi

# ---- Conserved quantities

# Gases keep their particles. In Critters, as many cells are dead as were alive one step before.
for rule in BBM BounceGas BounceGasII HPP_Gas MargSingRot Rotations RotationsII RotationsIII RotationsIV Sand \
    StringThing StringThingII SwapOnDiag; do
    soup kept run.steps=40 output.metrics_every=1 margolus.rule=$rule
    expect_equal "$rule keeps the number of live cells" "$(populations kept | wc -w)" 1
done
soup kept run.steps=40 output.metrics_every=1 margolus.rule=Critters
read -r one other more <<<"$(populations kept)"
expect_equal 'Critters: as many cells live as were dead one step before' "$((one + other)) $more" "$((98 * 62)) "
# Two live cells at the top of a block fall; one cell falls, or topples beside another.
printf 'x = 2, y = 1, rule = Sand\n2o!\n' >"$TMP/sand.rle"
go sand "$TMP/sand.rle" grid.size='2 8' grid.edges=dead init.at='0 0' run.steps=7 output.formats=rle output.every=7
expect_equal 'Sand falls a row a step, to the bottom' "$(body "$(at sand 7 rle)" | tail -n 1)" '7$2o!'

# ---- The past: a reversible rule runs backwards by the inverse table. Its blocks begin where those of the last step did.

seed=$ROOT/configs/patterns/critters-seed.rle
# inverse RULE
inverse() {
    local -a to from
    local i
    IFS=, read -r -a to <<<"${1#M}"
    for i in "${!to[@]}"; do
        from[to[i]]=$i
    done
    (IFS=, && echo "M${from[*]}")
}
for rule in $critters $swap M0,2,8,12,1,10,9,13,4,6,5,7,3,14,11,15 M0,8,4,3,2,5,9,7,1,6,10,11,12,13,14,15; do
    hundred=(run.steps=100 output.every=100 output.formats=rle)
    go there "$seed" init.at='3 4' "${hundred[@]}" margolus.rule=$rule
    read -r x y <<<"$(sed -n 's/^#CXRLE Pos=\([-0-9]*\),\([-0-9]*\).*/\1 \2/p' "$(at there 100 rle)")"
    go back "$(at there 100 rle)" init.at="$((x + 1)) $((y + 1))" "${hundred[@]}" margolus.rule="$(inverse $rule)"
    expect_equal "$rule backwards: the cells" "$(body "$(at back 100 rle)" | tail -n +2 | tr -d '\n')" \
        "$(body "$seed" | tail -n +2 | tr -d '\n')"
    expect_equal 'and their place' "$(sed -n 's/^#CXRLE \(Pos=[^ ]*\).*/\1/p' "$(at back 100 rle)")" Pos=4,5
done

# ---- What was published

# A ball of the billiard ball machine moves one cell along a diagonal in each step. Two balls that meet leave at right
# angles: at step 2 they are in one block, at (2, 2) and (3, 3). Step 3 moves them to (3, 2) and (2, 3), and each further
# step by one cell to the upper right and the lower left.
printf '#CXRLE Pos=0,0\nx = 6, y = 6, rule = BBM\no$$$$$5bo!\n' >"$TMP/balls.rle"
go balls "$TMP/balls.rle" run.steps=10 output.every=10 output.formats=rle
# placed FOLDER STEP: the place, the generation and the cells
placed() { echo "$(sed -n 's/^#CXRLE //p' "$(at "$1" "$2" rle)") $(body "$(at "$1" "$2" rle)" | tail -n 1)"; }
expect_equal 'two balls collide' "$(placed balls 10)" 'Pos=-5,-5 Gen=10 15bo15$o!'
printf '#CXRLE Pos=0,0\nx = 1, y = 1, rule = BBM\no!\n' >"$TMP/ball.rle"
go ball "$TMP/ball.rle" run.steps=1000001 output.every=1000001 output.formats=rle
expect_equal 'a ball' "$(placed ball 1000001)" 'Pos=1000001,1000001 Gen=1000001 o!'

# A glider of Critters: on the plane, cells of empty space live at odd steps.
go glider configs/patterns/critters-glider.rle run.steps=400 output.every=400 output.formats=rle
expect_equal 'a glider moves 200 cells in 400 steps' "$(placed glider 400)" 'Pos=201,1 Gen=400 o$bo$bo$o!'

# ---- The plane

# On the plane, the cells are those of a torus that nothing crosses. Single steps, and many at once.
for rule in $critters BBM HPP_Gas $sand; do
    settings=(run.steps=61 margolus.rule=$rule)
    go plane "$seed" init.at='-9 -6' "${settings[@]}" output.every=61 output.formats=npy output.region='-128:128 -128:128'
    go steps "$seed" init.at='-9 -6' "${settings[@]}" output.every=1 output.formats=rle
    soup torus init.source=file init.file="$seed" init.at='119 122' grid.size='256 256' "${settings[@]}" output.every=61
    expect "$rule: the cells of the plane are those of a torus" cmp "$(at plane 61)" "$(at torus 61)"
    expect_equal "$rule: one call is 61 calls" "$(grep '"hash":' "$TMP/steps/summary.json" | wc -w) $(
        grep '"hash":' "$TMP/steps/summary.json")" "1 $(grep '"hash":' "$TMP/plane/summary.json")"
done
expect_status 2 "$ENGINE" run "$seed" --set run.steps=1 --set run.output="$TMP/refused" \
    --set margolus.rule=$random
expect_stderr_has 'the rule makes block 7 of block 0, so that empty space does not stay alike'

# ---- Rules, names and files

"$ENGINE" convert configs/patterns/critters-glider.rle "$TMP/glider.mcl" >/dev/null 2>&1
expect_equal 'MCell files' "$(grep -A 1 GAME "$TMP/glider.mcl" | xargs)" \
    '#GAME Margolus #RULE MS,D15;14;13;3;11;5;6;1;7;9;10;2;12;4;8;0'
cat >"$TMP/ball.mcl" <<'END'
#MCell 4.00
#GAME Margolus
#RULE MS,D0;8;4;3;2;5;9;7;1;6;10;
#RULE 11;12;13;14;15
#BOARD 20x20
#WRAP 1
#L A
END
go mcell "$TMP/ball.mcl" run.steps=3 output.every=3 output.formats='mcl rle'
expect_equal 'a pattern of MCell' \
    "$(grep RULE "$(at mcell 3 mcl)") $(sed -n 's/^x = .* rule = //p' "$(at mcell 3 rle)")" \
    '#RULE MS,D0;8;4;3;2;5;9;7;1;6;10;11;12;13;14;15 M0,8,4,3,2,5,9,7,1,6,10,11,12,13,14,15:T20,20'
while IFS='|' read -r rule message; do
    expect_status 2 "$ENGINE" check "$TMP/soup.ini" --set margolus.rule="$rule"
    expect_stderr_has "$message"
done <<'END'
M0,8,4|at its end: expected a comma and a number
M0,8,4,3,2,5,9,7,1,6,10,11,12,13,14,16|at character 37, '1': expected a number from 0 to 15
M0,8,4,3,2,5,9,7,1,6,10,11,12,13,14,15,0|at character 39, ',': unexpected text after the 16 numbers
M0 8,4|at character 3, ' ': expected a comma
B3/S23|at character 1, 'B': expected M and 16 numbers
Sandy|at character 1, 'S': expected M and 16 numbers
END
while IFS='|' read -r key value message; do
    expect_status 2 "$ENGINE" check "$TMP/soup.ini" --set grid.$key="$value"
    expect_stderr_has "$message"
done <<'END'
size|97 62|blocks of 2 x 2 cells do not fit on a torus of 97 cells along x
size|98 61|blocks of 2 x 2 cells do not fit on a torus of 61 cells along y
edges|twisted|a block that crosses such an edge is turned
edge_shift|3 0|blocks of 2 x 2 cells need an even shift, not 3
END
expect_status 0 "$ENGINE" verify "$TMP/soup.ini" --impl cpu-serial --set grid.edge_shift='4 0'
plan
