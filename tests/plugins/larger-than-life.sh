#!/bin/bash
# larger-than-life against plain loops, spaceships of known speed, drawings, and Golly.
. "$(dirname "$0")/../lib.sh"
export OMP_WAIT_POLICY=passive # waiting threads that spin would take the cores of others
[ -e "$BUILD/plugins/larger-than-life.so" ] || skip_all 'larger-than-life was not built'
cat >"$TMP/soup.ini" <<END
[run]
plugin = larger-than-life
threads = 2
[grid]
size = 97 61
[output]
every = 0
formats = npy
END

# go FOLDER [KEY=VALUE]…
go() {
    local folder=$1 settings=() setting
    for setting in "${@:2}"; do
        settings+=(--set "$setting")
    done
    rm -rf "${TMP:?}/$folder"
    "$ENGINE" run "$TMP/soup.ini" --quiet --set run.output="$TMP/$folder" "${settings[@]}" 2>"$TMP/stderr"
}

# soup FOLDER DENSITY [KEY=VALUE]…
soup() { go "$1" init.source=random init.density="$2" "${@:3}"; }

first() { printf %s "$TMP/$1/cells-0000000000.npy"; }
last() { find "$TMP/$1" -name 'cells-*.npy' | sort | tail -n 1; }

# ---- Plain loops

read -r -a cxx <<<"${CXX:-g++}"
if command -v "${cxx[0]}" >/dev/null; then
    expect 'the plain loops and the kernels are compiled' "${cxx[@]}" -std=c++17 -O2 -U_FORTIFY_SOURCE -Wall -Wextra ${WERROR:+-Werror} \
        -Wno-unknown-pragmas -Wno-missing-field-initializers -Iplugins -Iinclude tests/plugins/larger_than_life.cpp \
        -o "$TMP/oracle"
    expect_status 0 "$TMP/oracle" kernels
    expect_equal 'the CUDA kernels for sums agree with plain loops on the host' "$(grep -c '^ok' "$TMP/stdout")" 44

    # compare NAME RULE-OF-PLAIN RULE STEPS DENSITY IMPLEMENTATION SIZE…: on a torus that is smaller than the
    # neighbourhood, a cell counts as often as it lies in the neighbourhood.
    compare() {
        local wrong='' size
        for size in "${@:7}"; do
            soup plain "$5" run.implementation="$6" grid.size="$size" run.steps="$4" output.every="$4" \
                larger-than-life.rule="$3" &&
                "$TMP/oracle" steps "$2" "$4" "$(first plain)" "$(last plain)" >>"$TMP/stderr" ||
                wrong+=" $size: $(cat "$TMP/stderr")"
        done
        expect_equal "$1, $6: $4 steps are those of plain loops" "$wrong" ''
    }
    # squares DENSITY SIZE…: with the rules R M S1 S2 B1 B2 of standard input
    squares() {
        local density=$1 rule
        shift
        while read -r -a rule; do
            compare "R${rule[0]} M${rule[1]}" "$(IFS=, && echo "${rule[*]}")" \
                "R${rule[0]},C0,M${rule[1]},S${rule[2]}..${rule[3]},B${rule[4]}..${rule[5]}" 3 "$density" cpu "$@"
        done
    }
    squares 0.45 '61 47' '200 3' '3 131' <<'END'
5 1 34 58 34 45
5 0 34 57 34 45
4 1 41 81 41 81
1 0 2 3 3 3
7 1 65 114 65 95
END
    squares 0.5 '400 9' '7 300' <<'END'
2 1 12 20 13 18
3 0 24 40 25 45
10 1 221 300 221 441
16 1 545 1089 545 1000
31 0 1984 3900 1985 3900
32 0 2112 4000 2113 4225
33 1 2245 4489 2245 4000
50 0 5100 10000 5101 10200
END
    # Masks, weights, many states, and lists of counts
    for seed in {0..15} {32..37}; do # the last are triangular
        rule=$("$TMP/oracle" rule "$seed")
        compare "${rule:0:60}" "$seed" "$rule" 1 0.4 cpu '129 47' '7 33'
        compare "${rule:0:60}" "$seed" "$rule" 1 0.4 cpu-serial '37 26'
    done

    # fly FILE STEPS RIGHT DOWN NAME: what was published about it; files say of what rule they are.
    fly() {
        go fly init.source=file init.file="$ROOT/configs/patterns/$1" grid.size='150 100' run.steps="$2" \
            output.every="$2" output.metrics_every=1
        expect "$5" "$TMP/oracle" moved "$(first fly)" "$(last fly)" "$3" "$4"
    }
    fly bug-4-5.rle 5 4 0 'a bug of speed 4/5'
    fly bug-5-6.rle 6 5 0 'a bug of speed 5/6'
    fly bug-8-16.rle 16 8 8 'a bug of speed 8/16, diagonal'
    fly jitterbug.rle 40 4 0 'Jitterbug: 4 cells to the east in 40 steps'
    fly butterfly.rle 31 9 0 'Butterfly: 9 cells in 31 steps'
    expect_equal 'Butterfly: from 37 to 370 cells' \
        "$(awk -F, 'NR > 1 { print $2 }' "$TMP/fly/metrics.csv" | sort -n | sed -n '1p;$p' | xargs)" '37 370'
    for page in plugins/larger-than-life/README.md configs/bugs.ini; do
        expect_equal "$page: Butterfly has the rule of its file" \
            "$(grep -o 'larger-than-life.rule=[^ ]*' "$page" | head -n 1)" \
            "larger-than-life.rule=$(sed -n 's/^x = .*rule = //p' configs/patterns/butterfly.rle)"
    done
else
    skip 'plain loops' 'there is no C++ compiler'
fi

# ---- Drawings: what one live cell makes, by a rule of births at some counts

printf 'x = 1, y = 1\no!\n' >"$TMP/one.rle"
# draw RULE ROW…: seven columns of the rows with live cells
draw() {
    go draw init.source=file init.file="$TMP/one.rle" grid.size='9 9' run.steps=1 output.every=1 larger-than-life.rule="$1"
    expect_equal "$1 draws its neighbourhood" "$(tail -c 81 "$TMP/draw/cells-0000000001.npy" | od -An -v -t u1 -w9 |
        tr -d ' ' | tr 01 .O | cut -c 2-8 | grep O | xargs)$(cat "$TMP/stderr")" "${*:2}"
}
draw R3,C0,S,B1,NM OOOOOOO OOOOOOO OOOOOOO OOO.OOO OOOOOOO OOOOOOO OOOOOOO
draw R3,C0,S,B1 OOOOOOO OOOOOOO OOOOOOO OOO.OOO OOOOOOO OOOOOOO OOOOOOO
draw R3,C0,M1,S1..1,B1..1,NN ...O... ..OOO.. .OOOOO. OOOOOOO .OOOOO. ..OOO.. ...O...
draw R3,C0,M0,S1..1,B1..1,NC ..OOO.. .OOOOO. OOOOOOO OOO.OOO OOOOOOO .OOOOO. ..OOO..
draw R3,C0,S0,B1,N2 ...O... .OOOOO. .OOOOO. OOOOOOO .OOOOO. .OOOOO. ...O...
draw R3,C0,S,B1,N+ ...O... ...O... ...O... OOO.OOO ...O... ...O... ...O...
draw R3,C0,S0,B1,NX O.....O .O...O. ..O.O.. ...O... ..O.O.. .O...O. O.....O
draw 'R3,C0,S,B1,N*' O..O..O .O.O.O. ..OOO.. OOO.OOO ..OOO.. .O.O.O. O..O..O
draw R3,C0,S,B1,N# ..O.O.. ..O.O.. OOOOOOO ..O.O.. OOOOOOO ..O.O.. ..O.O..
draw R3,C0,S,B1,NB .O.O.O. O.O.O.O .O.O.O. O.O.O.O .O.O.O. O.O.O.O .O.O.O.
draw R3,C0,S,B1,ND O.O.O.O .O.O.O. O.O.O.O .O...O. O.O.O.O .O.O.O. O.O.O.O
draw R3,C0,S,B1,NH OOOO... OOOOO.. OOOOOO. OOO.OOO .OOOOOO ..OOOOO ...OOOO
draw R3,C0,S,B1,NA O..O... .O.O... ..OO... OOO.OOO ...OO.. ...O.O. ...O..O
draw r3,c0,s0,b1,n3 O...... .O..... ..O.... ...OOOO ...O... ...O... ...O...
# The weights of R2 are 1 2 3 2 1, 2 4 6 4 2 and 3 6 9 6 3.
draw R2,C0,M0,S9..9,B4..6,NG ..OOO.. ..OOO.. ..OOO..
draw R2,C0,M1,S9..9,B4..6,NG ..OOO.. ..O.O.. ..OOO..
# 10001 00100 01c10 00100 10001 without c
draw R2,C2,S,B1,N@891891 .O...O. ...O... ..O.O.. ...O... .O...O.
# The weights 1 3 -1, -1 0 0 and 3 1 -4; a cell sees the live one on the other side of it.
draw R1,C2,S0,B1,NW13990031c ...O... ...O... ....O..
draw R1,C2,S,B3,NW010301008103000181h ..O.... ...O...
draw R1,C3,S0,B6,NW130900310,021 ....O.. ...O... ...O...
draw R1,C0,S,B1,NL .OOOOO. .OO.OO. ..OOO..
draw R2,C0,S,B1,NL OOOOOOO OOOOOOO OOO.OOO OOOOOOO .OOOOO.
draw R2,C2,S,B1,N@200000L ...O...
draw B1/SL .OOOOO. .OO.OO. ..OOO..
draw B1/S0LE ...O... ..OOO..
draw b1/slv .OO.OO. .O...O. ..OOO..
draw S/B1LI .O.O.O. ..O.O.. ...O...
draw /1/2LO ..O.O.. .O...O. ..O.O..
draw B1/S/C2LB ..OOO.. .OO.OO. ..O.O..
draw B1S/2LR .O...O. ...O...
draw 1,1,1,1,1 ..OOO.. ..OOO.. ..OOO..

# On a torus of 2 x 1, a cell is its own neighbour twice, and the other one is its neighbour six times.
go small init.source=file init.file="$TMP/one.rle" grid.size='2 1' run.steps=1 output.every=1 output.formats=rle \
    larger-than-life.rule=R1,C0,S2,B6
expect_equal 'a torus smaller than the neighbourhood' "$(tail -n 1 "$TMP/small/cells-0000000001.rle")" '2o!'

# ---- All implementations, all instruction sets, and parts

# agree COUNT RULE SIZES [SWEEP]
agree() {
    expect_status 0 "$ENGINE" verify "$TMP/soup.ini" --set init.source=random --set init.density=0.4 --impl cpu --steps 6 \
        --set larger-than-life.rule="$2" --sweep grid.size="$3" "${@:4}"
    expect_equal "$2 on $3" "$(grep -c 'cpu .*bit-equal after' "$TMP/stdout")" "$1"
}
instructions=(--sweep larger-than-life.instructions=auto,avx2,plain)
grep -q avx2 /proc/cpuinfo 2>/dev/null || instructions=(--sweep larger-than-life.instructions=auto,plain,plain)
agree 12 R5,C0,M1,S34..58,B34..45 '1 1,33 7,150 131,1100 40' "${instructions[@]}"
agree 9 R50,C0,M1,S5101..9000,B5101..10201 '1 1,33 7,600 9' "${instructions[@]}"
agree 9 R9,C5,M1,S90..140,B60..110,NC '1 1,33 70,300 90' "${instructions[@]}"
agree 3 R50,C3,S1000-2500,B1500-1900,1950,2200-2400,NN '1 1,33 7,150 40'
agree 2 R25,C3,S1000-2600,B1300-1700,NL '33 7,150 40'

# All kinds of edges, with and without bit planes
edges=(--sweep grid.edges='dead,mirror,torus dead,mirror torus,torus twisted')
fixed=(--set grid.edges='torus fixed' --set grid.edge_value=1)
agree 10 R5,C0,M1,S34..58,B34..45 '61 47,9 70' "${edges[@]}"
agree 5 R9,C5,M1,S90..140,B60..110,NC '70 61' "${edges[@]}"
agree 2 R5,C0,M1,S34..58,B34..45 '61 47,9 70' "${fixed[@]}"
agree 1 R9,C5,M1,S90..140,B60..110,NC '70 61' "${fixed[@]}"

# divided IMPLEMENTATION SIZE RULE: the same cells and metrics, whatever the parts and their margins
divided() {
    local settings=(run.implementation="$1" grid.size="$2" larger-than-life.rule="$3" run.steps=7 output.every=7
        output.metrics_every=1) cut
    soup whole 0.4 "${settings[@]}"
    for cut in 2:0 3:50 3:120 4:101 5:0; do
        soup parts 0.4 "${settings[@]}" run.parts="${cut%:*}" run.margin="${cut#*:}"
        expect "$1, $2, $3: ${cut%:*} parts with margins of ${cut#*:} equal the whole" cmp "$(last parts)" "$(last whole)"
        expect 'and their metrics' cmp "$TMP/parts/metrics.csv" "$TMP/whole/metrics.csv"
    done
}
divided cpu '61 47' R5,C0,M1,S34..58,B34..45
divided cpu '33 5' R50,C0,M1,S5101..9000,B4000..10201
divided cpu '97 61' R4,C6,M0,S20..30,B14..25,NC
divided cpu-serial '31 7' R3,C4,S2,4-6,8-15,B7,9-12,N#
divided cpu '97 62' R4,C3,S30-60,B30-70,NL
expect_status 4 "$ENGINE" check "$TMP/soup.ini" --set init.source=random --set run.implementation=cpu --set run.parts=2 \
    --set larger-than-life.rule=B456/S34L
expect_stderr_has 'a triangular grid can be divided if its height is even'

# ---- Golly

# golly-larger-than-life.txt has the command.
compared=0
while read -r rule width height density result; do
    edges=torus
    [[ $rule = *:P ]] && edges=dead
    soup golly "$density" init.seed=7 grid.size="$width $height" grid.edges=$edges run.steps=12 output.every=12 \
        larger-than-life.rule="${rule%:P}" output.metrics_every=12
    expect_equal "$rule on $width x $height: the cells that bgolly computed" \
        "$(tail -n 1 "$TMP/golly/metrics.csv" | awk -F, '{ print $2 + $3 }') $(cksum <"$(last golly)" | cut -d' ' -f1)" "$result"
    compared=$((compared + 1))
done < <(grep -v '^#' tests/plugins/larger-than-life-golly.txt)
expect_equal 'rules compared with Golly' "$compared" 21

# Radii above 50: the MD5 of the cells of OUT after
#     bgolly -a 'Larger than Life' -m STEPS -i STEPS -o OUT IN
# for the first pattern that the engine writes here, and bgolly 3.3.
while read -r rule width height steps sum; do
    for implementation in cpu cpu-serial; do
        soup wide 0.5 output.formats=rle grid.size="$width $height" run.steps="$steps" output.every="$steps" \
            run.implementation=$implementation larger-than-life.rule="$rule"
        expect_equal "$rule, $implementation: the cells that bgolly computed" "$(sed -n '/^x = /,$p' \
            "$TMP/wide/cells-000000000$steps.rle" | tail -n +2 | tr -d '\n' | md5sum | cut -c 1-32)" "$sum"
    done
done <<END
R51,C0,M1,S4500..5500,B5200..5400,NM 120 110 1 9a6258f0e7a8796a233cab3034beae75
R100,C0,M1,S10000..10200,B10050..10400,NN 210 203 1 b60fe94669b333275d1d72d4e9ed28b8
R60,C4,M0,S5400..5800,B3650..5700,NC 140 125 2 a1b999571048ff228090818c16ea78f6
R110,C0,M0,S24000..24500,B24400..24600,NM 230 225 1 c364cb6a5c2b9c40944d0cb6be1578d4
END
expect_status 4 "$ENGINE" check "$TMP/soup.ini" --set init.source=random --set run.implementation=cpu --set run.parts=2 \
    --set larger-than-life.rule=R51,C0,M1,S4500..5500,B5200..5400,NM
expect_stderr_has 'a grid with a rule of radius 51 cannot be divided or lie in tiles; radii up to 50 can'

# ---- Rules

while read -r rule message; do
    expect_status 2 "$ENGINE" check "$TMP/soup.ini" --set init.source=random --set larger-than-life.rule="$rule"
    expect_stderr_has "$message"
done <<END
R5 not a rule: at its end: expected a comma
R0,C0,M1,S1..1,B1..1 at character 2, '0': expected R and a radius from 1 to 500
R501,C0,M1,S1..1,B1..1 at character 2, '5': expected R and a radius
R51,C0,M1,S1..1,B1..1,NG at character 24, 'G': a radius above 50 needs the neighbourhood NM, NN, NC or N2
R500,C0,M1,S1..1002002,B1..1 at character 16, '1': expected the end of a range
R5,C257,M1,S34..58,B34..45 at character 5, '2': expected C and a number of states from 0 to 256
R5,C0,M2,S34..58,B34..45 at character 8, '2': expected M0 or M1
R5,C0,M1,S58..34,B34..45 at character 15, '3': expected the end of a range
R5,C0,M1,S34..58,B34..122 at character 23, '1': expected the end of a range
R1,C0,S2,3,9,B3 at character 12, '9': the neighbourhood does not have so many cells
R1,C0,S2,3,5,B3,NN at character 12, '5': the neighbourhood does not have so many cells
R5,C0,M1,S34..58,34..45 at its end: expected a comma
R5,C0,M1,S34..58,,B34..45 at character 18, ',': expected B
R5,C0,M1,34..58,B34..45 at character 10, '3': expected S
R5,C0,M1,S34..58,B34..45,NQ at character 27, 'Q': expected a neighbourhood
R26,C0,M1,S34..58,B34..45,NL at character 28, 'L': a triangular neighbourhood has a radius of at most 25
B456/S3yLE at character 2, '4': the neighbourhood does not have so many cells
B456/B34L at character 6, 'B': expected B and S with their counts
345L at character 4, 'L': expected a slash
B3/S3/1LV at character 7, '1': expected a number of states
B3/S3/4/L at character 8, '/': expected the end of the rule
B3/S23LX at character 1, 'B': expected R
R5,C0,M1,S34..58,B34..45,NMM at character 28, 'M': unexpected text
R2,C0,S2,B3,N@89189 at its end: N@ needs a hexadecimal digit for every four cells
R2,C0,S2,B3,N@8918910 at character 21, '0': N@ needs a hexadecimal digit
R1,C0,S2,B3,NW12340132 at its end: NW needs one hexadecimal digit for each cell
R1,C4,S2,B3,NW123401323,012 at its end: the weights of states
R20,C2,S2,B3,NG at its end: the weights make counts beyond 32766
$(printf 'R22,C2,S2,B3,N@%0506d' 0) at character 501, '0': a rule has at most 500 characters
R-5,C0,M1,S34..58,B34..45 at character 2, '-': expected R
5,34,45,34 at its end: expected five numbers
5,34,45,58,34 at character 12, '3': expected a count
B3/S23 at character 1, 'B': expected R
END

# Sums along rows: a cell is read twice and written once, and its sum of two bytes, or four, is written and read.
expect_equal 'the bytes of a cell, for a radius of 50 and one of 51' "$(for radius in 50 51; do
    "$ENGINE" bench "$TMP/soup.ini" --impl cpu --repeats 1 --steps 1 --json --set init.source=random \
        --set larger-than-life.rule=R$radius,C0,M1,S30..50,B30..45,NC | grep -o '"bytes": *[0-9.]*' | grep -o '[0-9.]*'
done | xargs printf '%g ')" '7 11 '

# Files say of what rule and of what torus they are, and keep it.
printf 'x = 4, y = 2, rule = R2,C4,S2,4-6,B3,N@891891:T20,10\n.ABC$2.2A!\n' >"$TMP/pattern.rle"
go pattern init.source=file init.file="$TMP/pattern.rle" grid.size= run.steps=0 output.formats=rle
expect_equal 'the states and the rule of a pattern file' "$(tail -n 2 "$TMP/pattern/cells-0000000000.rle")" \
    $'x = 20, y = 10, rule = R2,C4,S2,4-6,B3,N@891891:T20,10\n4$9.ABC$10.2A!'
go pattern init.source=file init.file="$TMP/pattern.rle" grid.size= larger-than-life.rule=R2,C3,S2,B3
expect_equal 'a state that the rule does not have' "$? $(grep -o 'is 3; field cells takes 0 to 2' "$TMP/stderr")" \
    '3 is 3; field cells takes 0 to 2'
# A spaceship of LifeViewer's test page of triangular rules, which tracks it by -1 0. Its first cell is at -3 -1, so that
# x + y is even.
printf 'x = 5, y = 3, rule = B36/S12LV\nbobo$b2obo$2bo!\n' >"$TMP/ship.rle"
"$ENGINE" run "$TMP/ship.rle" --quiet --set run.steps=100 --set run.output="$TMP/ship" --set output.formats=rle \
    --set output.every=100
expect_equal 'a triangular spaceship of the speed of light, on an unbounded grid' \
    "$(sed -n 's/^#CXRLE //p; t; /^x =/!{/^#/!p}' "$TMP"/ship/cells-*.rle | xargs)" \
    "Pos=-2,-1 Gen=0 obo\$2obo\$bo! Pos=-102,-1 Gen=100 obo\$2obo\$bo!"
expect_equal 'identify knows it' "$("$ENGINE" identify "$TMP/ship.rle" | sed -n 's/^speed *//p')" 'c orthogonal'
soup states 0.4 larger-than-life.rule=R2,C6,S2,B3 run.steps=0 output.formats=rle
expect_equal 'random cells take the states of the rule' \
    "$(tail -n +2 "$TMP/states/cells-0000000000.rle" | grep -v '^[#x]' | grep -o '[A-Z]' | sort -u | tr -d '\n')" ABCDE
plan
