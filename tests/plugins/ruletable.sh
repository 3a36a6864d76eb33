#!/bin/bash
# ruletable against an interpreter of its own, against Golly, and its files, colours and messages.
. "$(dirname "$0")/../lib.sh"
export OMP_WAIT_POLICY=passive # waiting threads that spin would take the cores of others
[ -e "$BUILD/plugins/ruletable.so" ] || skip_all 'ruletable was not built'
cat >"$TMP/soup.ini" <<END
[run]
plugin = ruletable
output = $TMP/out
[grid]
size = 48 40
[init]
source = random
density = 0.9
[output]
formats = npy rle
END
soup() {
    run "$ENGINE" run "$TMP/soup.ini" --quiet --force --set ruletable.folder="$TMP" "$@"
}
# The cells of an RLE file, without line ends.
body() {
    sed -n '/^x = /,$p' "$1" | tail -n +2 | tr -d '\n'
}

# ---- The interpreter

read -r -a cxx <<<"${CXX:-g++}"
read -r -a cc <<<"${CC:-cc}"
if command -v "${cxx[0]}" >/dev/null; then
    objects=()
    for file in rule_parse rule_table rule_tree keys diagram tables; do
        "${cc[@]}" -std=c11 -O1 -c "plugins/ruletable/$file.c" -o "$TMP/$file.o" && objects+=("$TMP/$file.o")
    done
    expect 'the interpreter and the kernels are compiled' "${cxx[@]}" -std=c++17 -O1 -U_FORTIFY_SOURCE -Wall -Wextra \
        ${WERROR:+-Werror} -Wno-unknown-pragmas -Iplugins -Iinclude tests/plugins/ruletable.cpp "${objects[@]}" -o "$TMP/plain"
    expect_status 0 "$TMP/plain" kernels 56
    expect_equal 'the CUDA kernels on the host agree with the interpreter' "$(tail -n 1 "$TMP/stdout")" '56 of 56 rules'
    expect_status 0 "$TMP/plain" settled 8
    expect_equal 'those that leave out settled tiles, too' "$(tail -n 1 "$TMP/stdout")" '41 of 41 runs'
    wrong=''
    for seed in $(seq 100 111); do
        "$TMP/plain" make "$seed" >"$TMP/Random$seed.rule"
        for size in '1 1' '2 3' '37 23'; do
            for implementation in cpu cpu-serial; do
                soup --set run.implementation=$implementation --set run.steps=5 --set output.every=5 \
                    --set run.threads=2 --set grid.size="$size" --set ruletable.rule="Random$seed"
                [ "$status" = 0 ] && "$TMP/plain" steps 5 "$TMP/Random$seed.rule" "$TMP/out/cells-0000000000.npy" \
                    "$TMP/out/cells-0000000005.npy" || wrong+=" $seed $implementation on $size: $(cat "$TMP/stderr")"
            done
        done
    done
    expect_equal '12 random rules: 5 steps are those of the interpreter' "$wrong" ''
    wrong=''
    for seed in $(seq 100 111); do
        soup --set run.implementation=cpu --set run.steps=5 --set output.every=5 --set grid.size='203 19' \
            --set init.density=0.005 --set ruletable.rule="Random$seed"
        [ "$status" = 0 ] && "$TMP/plain" steps 5 "$TMP/Random$seed.rule" "$TMP/out/cells-0000000000.npy" \
            "$TMP/out/cells-0000000005.npy" || wrong+=" $seed: $(cat "$TMP/stderr")"
    done
    expect_equal 'also where most of the grid is empty at first' "$wrong" ''

    # What Golly makes of random rules: the MD5 of the cells of OUT after
    #     bgolly -s FOLDER/ -a RuleLoader -m 12 -i 1 -o OUT IN
    # for the first pattern that the engine writes here. Numbers from 1000 on are trees.
    wrong=''
    while read -r seed sum; do
        "$TMP/plain" make "$seed" >"$TMP/Random$seed.rule"
        for implementation in cpu cpu-serial; do
            soup --set run.implementation=$implementation --set run.steps=12 --set output.every=12 \
                --set ruletable.rule="Random$seed"
            [ "$status" = 0 ] && [ "$(body "$TMP/out/cells-0000000012.rle" | md5sum | cut -c 1-32)" = "$sum" ] ||
                wrong+=" $seed $implementation $(cat "$TMP/stderr")"
        done
    done <<'END'
0 9e80b1e63c80023cd195d4001521a948
1 a6cd19fc21aeb5caebca38311bc21586
3 fab22792b4e24d59373980d277c1bce5
4 4f1c5abf7797a9b3cd65d766fb47f52f
5 4b2349440c558278534f0260b9cb875a
6 27912ce0467db05411021c91902b2b74
7 ecd23b832614088e40e111f90a6f6f94
8 e386702f070e882122f4fc6c93f0439d
10 1aec34b349403b8238f8a757c2fabbbb
13 1e97b7289299e355561374cea772f59d
14 c9511c8e61f16aed05ae65c7b7437ee1
16 b8d71073192cfd1d522034b23246d81f
17 aaaa238c6f6ef8b1d9a05b8f7a086373
21 c8e994eff64f77b426e83da73c60b290
24 7160c16de3ea589865b7358adcf354ef
25 83ecde2e1274ae30ab09ae3efdd64652
26 21be9b43e2e19d7604ceffa735933308
30 1a06ba894bbce2cc5fcb84236ce03aae
31 21c7912a112324c04333ba1983ac3b09
32 5dd730422253d33edd10aa5da22ca7d5
33 357fe46fb4dd0e199f4aec8b4ade8976
34 8c8c6a70a9e2a4c20f309a7efee62d6f
1002 97bdf3ffc0bb0e273a6dd5f1bc9ab13b
1003 d865b1d02cce0078ed301928b552010f
1008 8848591c014d63ca31725639bbf614b5
1009 0de98dea076c4ae57529e927d0403372
1011 aee52b0ee1bfe90c466866b7881d3bfb
END
    expect_equal 'random tables and trees: 12 steps are those of Golly' "$wrong" ''
    expect_status 0 "$ENGINE" verify "$TMP/soup.ini" --impl cpu --steps 7 --set ruletable.folder="$TMP" \
        --set ruletable.rule=Random1003 --sweep run.parts:run.margin='2:0,3:3' --sweep grid.size='97 61,33 40'
    expect_equal 'parts' "$(grep -c 'bit-equal after 1, 2, 7 steps' "$TMP/stdout")" 4
else
    skip 'the interpreter' 'there is no C++ compiler'
fi

# ---- Two rules of one name, in one process

for states in 2 3; do
    mkdir "$TMP/folder$states"
    printf '@RULE Twin\n@TABLE\nn_states:%s\nneighborhood:vonNeumann\nsymmetries:none\n0,1,0,0,0,%s\n' $states \
        $((states - 1)) >"$TMP/folder$states/Twin.rule"
done
expect_status 0 "$ENGINE" verify "$TMP/soup.ini" --impl cpu --steps 1 --set ruletable.rule=Twin \
    --sweep ruletable.folder="$TMP/folder2,$TMP/folder3,$TMP/folder2"
expect_equal 'each run has its own rule' "$(grep -o '[23] states' "$TMP/stderr" | uniq | tr '\n' ' ')" \
    '2 states 3 states 2 states '

# ---- Golly's own rules

golly=/usr/share/golly/Rules
if command -v bgolly >/dev/null && [ -d $golly ]; then
    wrong='' cells=0 count=0
    for file in $golly/*.rule; do
        rule=$(basename "$file" .rule)
        soup --set run.steps=10 --set output.every=10 --set output.metrics_every=1 --set ruletable.rule="$rule"
        bgolly -s $golly/ -a RuleLoader -m 10 -i 1 -o "$TMP/golly.rle" "$TMP/out/cells-0000000000.rle" >"$TMP/golly" 2>&1
        [ "$(tail -n +2 "$TMP/out/metrics.csv" | cut -d , -f 2 | xargs)" = \
            "$(sed -n 's/^[0-9]*: \([0-9,]*\)$/\1/p' "$TMP/golly" | tr -d , | xargs)" ] || wrong+=" $rule"
        [ "$(body "$TMP/out/cells-0000000010.rle")" = "$(body "$TMP/golly.rle")" ] && cells=$((cells + 1))
        count=$((count + 1))
        rm -f "$TMP/golly.rle"
    done
    expect_equal 'the rules that Golly ships: 11 populations, as bgolly counts them' "$wrong" ''
    expect "the same cells ($cells of $count rules; of others, bgolly leaves out empty rows)" test "$cells" -ge 25
else
    skip 'the rules that Golly ships' 'golly is not installed'
fi

# ---- Families

# What Golly 5.0 makes of the first pattern that the engine writes here: the MD5 of the cells of OUT after
#     bgolly -a ALGORITHM -m STEPS -i 1 -o OUT IN
# with the algorithms JvN, Super and Generations.
wrong=''
while read -r steps sum rule; do
    for implementation in cpu cpu-serial; do
        soup --set run.implementation=$implementation --set run.steps="$steps" --set output.every="$steps" \
            --set ruletable.rule="$rule"
        [ "$status" = 0 ] && [ "$(body "$TMP/out/cells-$(printf %010d "$steps").rle" | md5sum | cut -c 1-32)" = "$sum" ] ||
            wrong+=" $rule $implementation $(cat "$TMP/stderr")"
    done
done <<'END'
12 b309df95b4334f174e87c59675d2f079 JvN29
12 a11892d0a19434b217a548cc0d8b77ba Nobili32
12 15774e32c9ed279e32075240213f1521 Hutton32
12 7e569e0c661bcd68cb12d5a34cb3fa49 LifeHistory
12 7e569e0c661bcd68cb12d5a34cb3fa49 B3/S23History
12 26f0b4c382cbdf4245516b9c50326111 B2/S34HHistory
12 ad72ca34f78d4f3e1cd398d3fa51fa4b B3/S23Super
12 7070f3f24d4fba77c4800a2e06772dfe B2-ak3cy/S12Super
12 5843a696152f36c546506c785dc7945e B3/S23Investigator
6 7ec6c33885feec343fe1553c24ce0a70 12/2-a/3
6 7ec6c33885feec343fe1553c24ce0a70 B2-a/S12/G3
END
expect_equal 'rules of families: their steps are those of Golly' "$wrong" ''
while IFS='|' read -r rule message; do
    expect_status 2 "$ENGINE" check "$TMP/soup.ini" --set ruletable.rule="$rule"
    expect_stderr_has "$message"
done <<'END'
B9/S23History|not a rule: B9/S23: expected digits up to the number of neighbours
B0/S23Super|not a rule: B0/S23: cells are born beside no live neighbour, which this family does not take
12/2-a/257|not a rule: 12/2-a: the number of states is not from 2 to 256
END

# ---- Large tables

# large STATES: a rule that compares three cells on the left with three on the right, so it tells STATES^3 of each apart
large() {
    printf '@RULE Large\n@TABLE\nn_states:%s\nneighborhood:Moore\nsymmetries:none\n' "$1"
    printf "var %s={$(seq -s , 0 $(($1 - 1)))}\n" a b c d e
    echo 0,d,a,b,c,e,c,b,a,1
}
while read -r states message; do
    large "$states" >"$TMP/Large.rule"
    expect_status 4 "$ENGINE" check "$TMP/soup.ini" --set ruletable.rule=Large --set run.implementation=cpu
    expect_stderr_has "ruletable/cpu cannot run this: $TMP/Large.rule: $message"
done <<'END'
16 the rule tells 4096 left, 16 middle and 4096 right columns of three cells apart
20 the decision diagram of the rule would take more than 256 MiB; cpu-serial takes any rule
END
soup --set run.steps=1 --set ruletable.rule=Large --json
expect_equal 'the reference takes such a rule' "$status $(grep -c '"implementation": *"cpu-serial"' "$TMP/stdout")" '0 1'

# ---- A rule that changes

large 3 >"$TMP/Changing.rule"
soup --set run.steps=4 --set run.output="$TMP/changing" --set checkpoint.every=4 --set ruletable.rule=Changing
sed -i 's/,1$/,2/' "$TMP/Changing.rule"
expect_status 2 "$ENGINE" resume "$TMP/changing" --quiet --set run.steps=8
expect_stderr_has '[ruletable] checksum of the rule: was '
large 3 >"$TMP/Changing.rule"
expect_status 0 "$ENGINE" resume "$TMP/changing" --quiet --set run.steps=8
mkdir "$TMP/elsewhere"
mv "$TMP/Changing.rule" "$TMP/elsewhere"
expect_status 0 "$ENGINE" resume "$TMP/changing" --quiet --set run.steps=12 --set ruletable.folder="$TMP/elsewhere"
sed -i 's/,1$/,2/' "$TMP/elsewhere/Changing.rule"
expect_status 2 "$ENGINE" resume "$TMP/changing" --quiet --set run.steps=16 --set ruletable.folder="$TMP/elsewhere"
expect_stderr_has '[ruletable] checksum of the rule: was '

# ---- Finding files

printf '@RULE Mine\n@TABLE\nn_states:3\nneighborhood:oneDimensional\nsymmetries:none\n1,0,0,2\n@COLORS\n0 1 2 3\n2 250 251 252\n' \
    >"$TMP/Mine.rule"
mkdir -p "$TMP/rules"
sed 's/1,0,0,2/1,0,0,0/' "$TMP/Mine.rule" >"$TMP/rules/Mine.rule"
run "$ENGINE" check "$TMP/soup.ini" --set ruletable.rule=Mine
expect_equal 'a rule beside the configuration' "$status" 0
expect_stderr_has "engine: ruletable: rule Mine, 3 states, from $TMP/Mine.rule"
run "$ENGINE" check "$TMP/soup.ini" --set ruletable.rule=Mine --set ruletable.folder=rules
expect_stderr_has "rule Mine, 3 states, from $TMP/rules/Mine.rule"
run "$ENGINE" check "$TMP/soup.ini" --set ruletable.rule=rules/Mine.rule
expect_stderr_has "from $TMP/rules/Mine.rule"
expect_status 2 "$ENGINE" check "$TMP/soup.ini" --set ruletable.rule=None
expect_stderr_has "there is no file None.rule, .table or .tree in '$TMP' or '/usr/share/golly/Rules'"
soup --set run.steps=1 --set ruletable.rule=Mine --set ruletable.folder=.
expect 'the copy of the configuration names the folder' grep -qx "folder *= *$TMP" "$TMP/out/config.ini"

# Line ends of other systems: LF, CR LF and CR.
printf '# one line\r\n' | cat - "$TMP/Mine.rule" | sed 's/$/\r/' >"$TMP/Crlf.rule"
tr '\n' '\r' <"$TMP/Mine.rule" >"$TMP/Cr.rule"
soup --set run.steps=3 --set ruletable.rule=Mine --json
lf=$(sed -n 's/^ *"hash": //p' "$TMP/stdout")
for rule in Crlf Cr; do
    soup --set run.steps=3 --set ruletable.rule=$rule --json
    expect_equal "$rule.rule" "$(sed -n 's/^ *"hash": //p' "$TMP/stdout")" "$lf"
done
printf '@RULE Wrong\r@TABLE\r\rn_states:3\rneighbourhood:Moore\r' >"$TMP/Wrong.rule"
soup --set ruletable.rule=Wrong
expect_stderr_has "$TMP/Wrong.rule:5:"

printf 'x = 3, y = 1, rule = Mine:T20,10\n.AB!\n' >"$TMP/pattern.rle"
sed -i -e '/^density/d' -e '/^size/d' "$TMP/soup.ini"
run "$ENGINE" run "$TMP/soup.ini" --quiet --force --set init.source=file --set init.file=pattern.rle --set run.steps=0 \
    --set output.formats='rle png' --set output.scale=1
expect_equal 'the rule of a pattern' "$status $(cat "$TMP/stderr")" '0 '
expect_equal 'it comes back' "$(tail -n 2 "$TMP/out/cells-0000000000.rle")" $'x = 20, y = 10, rule = Mine:T20,10\n5$10.AB!'

# Rules behind the cells of a pattern, and beside it. The first two cells become 2 and 1 by the rule Own alone.
{
    printf 'x = 3, y = 1, rule = Own:T20,10\n.AB!\n'
    sed -e 's/Mine/Other/' -e '/^@COLORS/,$d' "$TMP/Mine.rule"
    printf '@RULE  Own\r\n@TABLE\nn_states:3\nneighborhood:oneDimensional\nsymmetries:none\n1,0,2,2\n2,1,0,1\n1,bad\n'
} >"$TMP/behind.rle"
sed 's/Own:/Mine:/' "$TMP/behind.rle" >"$TMP/rules/beside.rle"
soup --set init.source=file --set init.file=behind.rle --set ruletable.folder=behind.rle --set run.steps=1 \
    --set run.output="$TMP/own"
expect_stderr_has "$TMP/behind.rle:16:3: "
sed -i '/^1,bad/d' "$TMP/behind.rle"
soup --set init.source=file --set init.file=behind.rle --set ruletable.folder=behind.rle --set run.steps=1 \
    --set run.output="$TMP/own" --set output.every=1
expect_equal 'a rule behind the cells' "$status $(tail -n 1 "$TMP/own/cells-0000000001.rle")" '0 5$10.BA!'
run "$ENGINE" check "$TMP/soup.ini" --set init.source=file --set init.file=rules/beside.rle \
    --set ruletable.folder=rules/beside.rle
expect_stderr_has "rule Mine, 3 states, from $TMP/rules/Mine.rule"

# A pattern does not choose which file is read.
for rule in ../rules/Mine.rule "$TMP/Mine.rule" rules/Mine.table; do
    printf 'x = 3, y = 1, rule = %s:T20,10\n.AB!\n' "$rule" >"$TMP/path.rle"
    expect_status 3 "$ENGINE" check "$TMP/soup.ini" --set init.source=file --set init.file=path.rle
    expect_stderr_has "path.rle: the rule '$rule' is a path; expected the name of a rule"
done

# Golly tries the values of the variables whose names come first in the alphabet in the fastest order: bgolly -a RuleLoader
# -m 1 makes this of the two cells in the middle of the crosses.
cat >"$TMP/Order.rule" <<'END'
@RULE Order
@TABLE
n_states:4
neighborhood:vonNeumann
symmetries:rotate4
var z={1,2}
var b={1,2}
var a={1,2}
0,a,a,b,b,a
3,z,z,b,b,z
END
printf 'x = 7, y = 3, rule = Order:T9,5\n.A3.A$B.A.BCA$.B3.B!\n' >"$TMP/order.rle"
for implementation in cpu cpu-serial; do
    soup --set init.source=file --set init.file=order.rle --set run.steps=1 --set output.every=1 \
        --set run.implementation=$implementation --set run.output="$TMP/ordered"
    expect_equal "$implementation: the order of the variables in a line" \
        "$(tail -n 1 "$TMP/ordered/cells-0000000001.rle")" '$2.A3.A$.2BA.B2A$2.B3.B!'
done

# ---- Colours

palette() {
    perl -0777 -ne '/PLTE(.{9})/s and print join " ", unpack "C*", $1' "$1"
}
expect_equal 'the colours of the rule; those that it lacks are a gradient from red to yellow' \
    "$(palette "$TMP/out/cells-0000000000.png")" '1 2 3 255 0 0 250 251 252'
run "$ENGINE" run "$TMP/soup.ini" --quiet --force --set init.source=file --set init.file=pattern.rle --set run.steps=0 \
    --set output.formats=png --set output.colours=grey
expect_equal 'grey pictures have no palette' "$(palette "$TMP/out/cells-0000000000.png")" ''
sed '/^@COLORS/,$d' "$TMP/Mine.rule" >"$TMP/rules/Mine.rule"
run "$ENGINE" run "$TMP/soup.ini" --quiet --force --set init.source=file --set init.file=pattern.rle --set run.steps=0 \
    --set output.formats=png --set ruletable.folder=rules
expect_equal 'a rule without colours has grey pictures' "$status $(palette "$TMP/out/cells-0000000000.png")" '0 '
sed 's/^0 1 2 3$/0 0 255 255 0 0/' "$TMP/Mine.rule" | sed '/^2 250/d' >"$TMP/rules/Mine.rule"
run "$ENGINE" run "$TMP/soup.ini" --quiet --force --set init.source=file --set init.file=pattern.rle --set run.steps=0 \
    --set output.formats=apng --set ruletable.folder=rules
expect_equal 'a gradient from blue to red, in a film' "$(palette "$TMP/out/cells.apng")" '48 48 48 0 0 255 255 0 0'

# Red, and 250 251 252, as the nearest colours of a terminal: 16 + 36 r + 6 g + b, where the levels 0 to 5 are 0, 95, 135,
# 175, 215 and 255
if command -v script >/dev/null; then
    TERM=xterm-256color script -qec "stty cols 40 rows 12; '$ENGINE' run '$TMP/soup.ini' --watch --force --set init.source=file \
        --set init.file=pattern.rle --set run.steps=0" "$TMP/watched" </dev/null >/dev/null
    expect_equal 'colours of --watch' "$(grep -aoE '[34]8;5;[0-9]+m' "$TMP/watched" | grep -oE '[0-9]+m' | sort -u | xargs)" \
        '16m 196m 231m'
else
    skip 'colours of --watch' 'script is not installed (Debian: bsdutils)'
fi

# The rule goes into the headers of pattern files, which hold 511 characters.
long=./$(printf '%0500d' 0).rule
expect_status 2 "$ENGINE" check "$TMP/soup.ini" --set grid.size='9 9' --set ruletable.rule="././$long"
expect_stderr_has "cannot be read"
expect_status 2 "$ENGINE" check "$TMP/soup.ini" --set grid.size='9 9' --set ruletable.rule="./././$long"
expect_stderr_has '[ruletable] rule has 513 characters; the limit is 511'

# ---- Files that are wrong

# LINE:COLUMN TEXT of the message, then the file.
while IFS='|' read -r place message file; do
    printf '%b' "$file" >"$TMP/Bad.rule"
    expect_status 2 "$ENGINE" check "$TMP/soup.ini" --set grid.size='9 9' --set ruletable.rule=Bad
    expect_stderr_has "$TMP/Bad.rule:$place $message"
done <<'END'
|there is no section @TABLE or @TREE|@RULE Bad\n
2:10:|'1' is not a number of states; expected 2 to 256|@TABLE\nn_states:1\n
2:14:|'round' is not a neighbourhood; expected vonNeumann|@TABLE\nneighborhood:round\n
3:13:|'rotate8' is not a symmetry of hexagonal; expected none, rotate2|@TABLE\nneighborhood:hexagonal\n symmetries:rotate8\n
2:1:|n_states is missing|@TABLE\n0,0,0,0\n
5:5:|state 2 is too large; n_states:2 has the states 0 to 1|@TABLE\nn_states:2\nneighborhood:oneDimensional\nsymmetries:none\n0,1,2,0\n
5:3:|'a' is neither a state nor a variable|@TABLE\nn_states:2\nneighborhood:oneDimensional\nsymmetries:none\n0,a,1,0\n
5:6:|the line has 3 entries; expected 4|@TABLE\nn_states:2\nneighborhood:oneDimensional\nsymmetries:none\n0,1,1\n
6:1:|the next state is a variable that occurs only here|@TABLE\nn_states:2\nneighborhood:oneDimensional\nsymmetries:none\nvar a={0,1}\n0,1,1,a\n
11:1:|variables and symmetries unfold this line and those before it to more than 262144|@TABLE\nn_states:11\nneighborhood:Moore\nsymmetries:permute\n0,1,2,3,4,5,6,7,8,9\n1,1,2,3,4,5,6,7,8,9\n2,1,2,3,4,5,6,7,8,9\n3,1,2,3,4,5,6,7,8,9\n4,1,2,3,4,5,6,7,8,9\n5,1,2,3,4,5,6,7,8,9\n6,1,2,3,4,5,6,7,8,9\n
3:15:|'5' is not a value of num_neighbors; expected 4 or 8|@TREE\nnum_states=2\nnum_neighbors=5\n
5:6:|'' is not a number; expected 3 numbers|@TREE\nnum_states=3\nnum_neighbors=4\nnum_nodes=5\n1 0 1 \n2 0 0 0\n3 1 1 1\n4 2 2 2\n5 3 3 3\n
6:3:|node 1 is not yet defined|@TREE\nnum_states=2\nnum_neighbors=4\nnum_nodes=5\n1 0 1\n2 1 1\n3 1 1\n4 2 2\n5 3 3\n
7:3:|node 0 has depth 1; expected depth 2|@TREE\nnum_states=2\nnum_neighbors=4\nnum_nodes=5\n1 0 1\n2 0 0\n3 0 0\n4 2 2\n5 3 3\n
4:1:|the tree has 0 nodes; expected num_nodes, 5|@TREE\nnum_states=2\nnum_neighbors=4\nnum_nodes=5\n
END
plan
