#!/bin/bash
# `engine convert` keeps what a file holds: all frames, steps, boxes, times, symbols and arrays. What the new file
# cannot hold is named or refused. The expected numbers are those that the test writes into its own files.
. "$(dirname "$0")/common"
. "$(dirname "$0")/../npy.sh"
cd "$TMP" || exit 1

# Seven frames, of steps 500, 600 … with edges 4, 5 … along x. Particle i of frame k is at x = k + i / 4.
frames() { # frames FIRST END: the frames of t.xyz in that range
    local k
    for ((k = $1; k < $2; k++)); do
        printf '3\nLattice="%d 0 0 0.5 5 0 0.25 0.125 6" pbc="T T T" Properties=species:S:1:pos:R:3:velo:R:3:charge:R:1:type:I:1 step=%d time=%s\n' \
            $((4 + k)) $((500 + 100 * k)) "$(perl -e "print 2.5 + 0.5 * $k")"
        printf 'Si %s 2 3 1 0 0 -1.5 1\nO %s 2 3 1 0 1 -1.5 2\nO %s 2 3 1 0 2 -1.5 2\n' \
            $k "$(perl -e "print $k + 0.25")" "$(perl -e "print $k + 0.5")"
    done
}
frames 0 7 >t.xyz
convert() { expect_status 0 "$ENGINE" convert "$@"; }
steps_of() { grep -A1 TIMESTEP "$1" | grep -v '[-T]' | paste -sd' '; }

# ---- Frames
convert t.xyz x.xyz
expect_equal 'nothing is lost from xyz to xyz' "$(cat stderr)" ''
expect_same x.xyz t.xyz
convert t.xyz some.xyz --frames 1:6:2
expect_equal 'a range of frames' "$(cat some.xyz)" "$(frames 1 2; frames 3 4; frames 5 6)"
convert t.xyz l.lammpstrj
expect_equal 'steps in a dump' "$(steps_of l.lammpstrj)" '500 600 700 800 900 1000 1100'
expect_equal 'the last frame of a dump' "$(tail -n 4 l.lammpstrj)" 'ITEM: ATOMS id type element x y z vx vy vz q
1 1 Si 6 2 3 1 0 0 -1.5
2 2 O 6.25 2 3 1 0 1 -1.5
3 2 O 6.5 2 3 1 0 2 -1.5'
expect_stderr_has 'l.lammpstrj: lammpstrj files do not hold all that t.xyz has: the time'
convert l.lammpstrj back.xyz
expect_equal 'a dump as xyz: all but the time' "$(sed 's/id:I:1://; s/^\(\S* \S* \S* \S* \S* \S* \S*\) [123] /\1 /' \
    back.xyz)" \
    "$(sed 's/ time=.*//' t.xyz)"
convert t.xyz p.npy
expect_equal 'positions of all frames' "$(numbers p.npy d)" \
    "$(perl -e 'for $k (0 .. 6) { push @all, $k + $_ / 4, 2, 3 for 0 .. 2 } print "@all"')"
expect 'as an array of three axes' grep -aqF "'shape': (7, 3, 3)" p.npy
expect_stderr_has \
    'p.npy: npy files do not hold all that t.xyz has: species, velocity, charge, the symbols of the species, the box, the steps, the time'
# Frames whose steps are all equal get their numbers, as frames without steps do; programs skip frames of equal steps.
sed 's/step=[0-9]*/step=7/' t.xyz >equal.xyz
convert equal.xyz equal.lammpstrj
expect_equal 'equal steps: frames have their numbers' "$(steps_of equal.lammpstrj)" '0 1 2 3 4 5 6'
expect_stderr_has 'equal.lammpstrj: all frames of equal.xyz have the step 7; each frame gets its number as its step'
sed 's/time=.*//' equal.xyz >timeless.xyz
convert timeless.xyz timeless.xtc
convert timeless.xtc times.xyz --quiet
expect_equal 'equal steps: times are steps' "$(grep -o 'step=.*' times.xyz | paste -sd' ')" \
    "$(for k in 0 1 2 3 4 5 6; do echo "step=$k time=$k"; done | paste -sd' ')"
convert equal.xyz some.lammpstrj --frames 1:6:2
expect_equal 'equal steps: a range of frames' "$(steps_of some.lammpstrj)" '1 3 5'
convert equal.xyz equal.lammpstrj --frames 2:3 --force
expect_equal 'a frame alone keeps its step' "$(steps_of equal.lammpstrj)" 7
sed '0,/step=7/s//step=6/' equal.xyz >first.xyz
convert first.xyz first.lammpstrj
expect_equal 'steps that are not all equal are kept' "$(steps_of first.lammpstrj)" '6 7 7 7 7 7 7'
head -n -1 equal.xyz >cut.xyz
convert cut.xyz equal.lammpstrj --frames 0:4 --force
expect_equal 'equal steps: a file that is cut short' "$(steps_of equal.lammpstrj)" '0 1 2 3'
expect_equal 'one warning' "$(grep -c 'are left out' stderr)" 1
convert equal.xyz equal.npy
expect_equal 'npy files hold no steps' "$(grep -c 'each frame gets its number' stderr)" 0
convert p.npy q.xyz --frames 2:
expect_equal 'an array of frames' "$(grep -c Properties q.xyz) $(sed -n 3p q.xyz)" '5 X 2 2 3'
convert t.xyz one.npy --frames 3:4
expect 'one frame is an array of two axes' grep -aqF "'shape': (3, 3)" one.npy
convert t.xyz film.apng
expect_equal 'a film of all frames' \
    "$(perl -ne 'BEGIN { $/ = undef } print unpack "N", substr $_, index($_, "acTL") + 4, 4' film.apng)" 7
for out in picture.png x.snapshot; do
    refused "$out holds one frame" 2 \
        "$out: a ${out#*.} file holds one frame, and t.xyz has 7; choose one with --frames: --frames 6:7 is the last one" \
        "$ENGINE" convert t.xyz $out
done
convert t.xyz picture.png --frames 6:7
refused 'a range behind the end' 3 't.xyz: has 7 frames, but --frames starts at frame 9' "$ENGINE" convert t.xyz y.xyz \
    --frames 9:
for range in 3 a:b 5:5 ::0 1:2:3:4; do
    refused "the range $range" 2 "--frames: '$range' is not a range of frames" "$ENGINE" convert t.xyz y.xyz \
        --frames $range
done

# Frames may differ in their particles where the new file has a number for each.
{ frames 0 1 && printf '1\n\nH 1 2 3\n'; } >vary.xyz
convert vary.xyz vary.lammpstrj
expect_equal 'frames of 3 and 1 particles' "$(grep -A1 NUMBER vary.lammpstrj | grep -v '[-N]' | paste -sd' ')" '3 1'
refused 'but not in an array' 6 'vary.npy: frame 1 of those to write differs from the first' \
    "$ENGINE" convert vary.xyz vary.npy
refused 'nor in a DCD file' 6 'vary.dcd: a frame has 1 particles and the first one has 3' "$ENGINE" convert vary.xyz \
    vary.dcd
printf '1\n\nX 1 2 3\n' >plain.xyz
convert plain.xyz plain.lammpstrj
expect_equal 'nothing is lost that is not there' "$(cat stderr)" ''

# Columns that no array is made of are named.
printf 'ITEM: TIMESTEP\n7\nITEM: NUMBER OF ATOMS\n1\nITEM: BOX BOUNDS pp pp pp\n0 1\n0 1\n0 1\nITEM: ATOMS id x y z ix iy iz c_1[1] c_1[2] c_pe\n5 .5 .5 .5 1 -2 3 8 9 1\n' >l1.dump
convert l1.dump l1.xyz
expect_stderr_has 'l1.xyz: xyz files do not hold all that l1.dump has: c_pe'
expect_equal 'ids, images and vectors are kept' "$(sed 's/.*Properties=//' l1.xyz | tail -n 2)" \
    'species:S:1:pos:R:3:id:I:1:image:I:3:c_1:R:2 step=7
X 0.5 0.5 0.5 5 1 -2 3 8 9'

# The corner of a box, and other text.
printf 'ITEM: UNITS\nlj\nITEM: TIMESTEP\n7\nITEM: NUMBER OF ATOMS\n1\nITEM: BOX BOUNDS pp pp ff\n-2 2\n1 4\n0 1\nITEM: ATOMS id type x y z\n1 1 0 2 0\n' >corner.dump
convert corner.dump corner.lammpstrj
expect_equal 'the corner of a box in a dump' "$(sed -n 6,8p corner.lammpstrj)" $'-2 2\n1 4\n-0.5 0.5'
expect_stderr_has 'all that corner.dump has: the units'
convert corner.dump corner.xyz
expect_equal 'in XYZ' "$(sed -n 2p corner.xyz)" \
    'Lattice="4 0 0 0 3 0 0 0 1" pbc="T T F" Origin="-2 1 -0.5" Properties=species:S:1:type:I:1:pos:R:3:id:I:1 step=7'
convert corner.xyz again.lammpstrj
expect_stderr_has 'all that corner.xyz has: the bounds of open axes'
expect_same again.lammpstrj corner.lammpstrj
convert corner.dump corner.dcd
expect_stderr_has 'all that corner.dump has: species, id, the units, the bounds of open axes, the corner of the box'
printf '1\nWater, energy=-3\nO 1 2 3\n' >text.xyz
convert text.xyz text.lammpstrj
expect_stderr_has 'all that text.xyz has: other text of the comment'

# ---- DCD
convert t.xyz d.dcd
expect_stderr_has \
    'd.dcd: dcd files do not hold all that t.xyz has: species, velocity, charge, the symbols of the species'
# Another reader: prints the words 0 to 3 and 10 of the header, and of each frame the cell and all x.
dcd() {
    perl -e '
        local $/; open my $file, "<:raw", $ARGV[0] or die; my $bytes = <$file>; my $at = 0;
        sub record { my $n = unpack "V", substr $bytes, $at, 4; my $data = substr $bytes, $at + 4, $n;
                     die "record\n" unless unpack("V", substr $bytes, $at + 4 + $n, 4) == $n; $at += $n + 8; return $data }
        my $head = record; die "head\n" unless length $head == 84 and substr($head, 0, 4) eq "CORD";
        my @words = unpack "V20", substr $head, 4; print join(" ", @words[0 .. 3, 10]), "\n";
        my $titles = record; die "titles\n" unless length $titles == 4 + 80 * unpack "V", $titles;
        my $atoms = unpack "V", record;
        while ($at < length $bytes) {
            my @cell = unpack "d<6", record; my @x = unpack "f<*", record; my @y = unpack "f<*", record; my @z = unpack "f<*", record;
            die "atoms\n" unless @x == $atoms and @y == $atoms and @z == $atoms;
            printf "%.6g ", $_ for @cell; print "| @x | @y | @z\n"; }' "$1"
}
# b = (0.5, 5, 0) has length 5.02494 and cos gamma 0.0995037; c = (0.25, 0.125, 6) has length 6.00651 and cos beta
# 0.0416215; cos alpha = (0.5 * 0.25 + 5 * 0.125) / (5.02494 * 6.00651) = 0.024849.
expect_equal 'header, cells and coordinates of a DCD file' "$(dcd d.dcd)" "7 500 100 1100 1
$(perl -e 'for $k (0 .. 6) { printf "%g 0.0995037 5.02494 0.0416215 0.024849 6.00651 | %s | 2 2 2 | 3 3 3\n", 4 + $k, join " ", map { $k + $_ / 4 } 0 .. 2 }')"
convert d.dcd d.lammpstrj
expect_equal 'steps of a DCD file' "$(steps_of d.lammpstrj)" "$(steps_of l.lammpstrj)"
convert d.dcd d.npy
perl -e 'print join " ", map { my $k = $_; map { ($k + $_ / 4, 2, 3) } 0 .. 2 } 0 .. 6' >wanted
expect_equal 'positions of a DCD file' "$(numbers d.npy f)" "$(cat wanted)"
{ frames 0 2 && frames 5 6; } >uneven.xyz
convert uneven.xyz uneven.dcd
expect_stderr_has 'uneven.dcd: the steps of the frames of uneven.xyz are not evenly spaced'
printf '1\n\nX 1e39 0 0\n' >large.xyz
refused 'a position beyond single precision' 6 'position of particle 0, counted from 0, does not fit single precision' \
    "$ENGINE" convert large.xyz large.dcd
printf '1\nLattice="4 0 0 0.5 5 0 0 0 6" pbc="T T F"\nX 1 0 0\n' >open.xyz
refused 'a tilted box with an open side' 6 'cannot hold a box that is tilted and open along an axis' \
    "$ENGINE" convert open.xyz open.dcd

# ---- Particles are no image, and what is written can be read
refused 'particles as an image' 6 'grid of 1 to 3 axes); formats that can: ' "$ENGINE" convert t.xyz t.vti
expect 'formats of particles are named' grep -q 'can:.* xyz.* lammpstrj' "$TMP/stderr"
npy nan.npy '<f8' '2, 3' d 0 0 0 1 nan 2
for format in xyz lammpstrj dcd; do
    refused "NaN in $format" 6 'position of particle 1, counted from 0, is infinite or not a number' \
        "$ENGINE" convert nan.npy nan.$format
done
expect_equal 'no file is left of what was refused' "$(find . -name '*.tmp*' -o -name 'nan.[xld]*' -o -name y.xyz)" ''

# ---- Options that nothing uses
gun=$ROOT/configs/patterns/gosper-gun.rle
unused() {
    refused "$2 of $1" 2 "${2%% *}: this option is for" "$ENGINE" convert "$gun" "$1" $2
}
unused g.png '--slice 3'
unused g.png '--axis x'
unused g.png '--component 0'
unused g.npy '--scale 2'
unused g.npy '--range 0,1'
unused g.npy '--colours viridis'
refused 'frames of a pattern' 2 'has no frames' "$ENGINE" convert "$gun" g.npy --frames 0:1
convert "$gun" g.npy
expect_stderr_has 'g.npy: npy files do not hold all that'
expect_stderr_has ': the comments, the rule'
printf '!Name: a block\nOO\nOO\n' >block.cells
convert block.cells block.rle
expect_equal 'the name of a pattern is kept' "$(cat stderr; cat block.rle)" $'#CXRLE Pos=-1,-1 Gen=0\n#N a block\nx = 2, y = 2\n2o$2o!'
printf '#Life 1.05\n#D a block\n#P 0 0\n**\n**\n' >block.lif
convert block.lif lif.rle
expect_equal 'so are comments and the position' "$(cat stderr; cat lif.rle)" \
    $'#CXRLE Pos=0,0 Gen=0\n#C a block\nx = 2, y = 2\n2o$2o!'
printf '#CXRLE Pos=10,20 Gen=7\n#N Glider\n#O Guy\n#C a ship\n#c small\nx = 3, y = 3, rule = B3/S23\nbo$2bo$3o!\n' >guy.rle
convert guy.rle guy.mc
convert guy.mc back.rle
expect_equal 'the words of the author, the position and the generation are kept' "$(cat stderr; cat back.rle)" \
    "$(sed 's/^#c/#C/' guy.rle)"
expect_equal 'also in .mc' "$(grep '^#' guy.mc)" $'#R B3/S23\n#G 7\n#N Glider\n#O Guy\n#C a ship\n#C small'
convert guy.rle guy.png
expect 'and in a picture' sh -c "tr '\000' '=' <guy.png | grep -qa 'Author=Guy'"
convert guy.rle guy.npy
expect_stderr_has 'guy.npy: npy files do not hold all that guy.rle has: the comments, the position, the step, the rule'
printf '#Life 1.06\n102 200\n100 200\n' >abs.lif
convert abs.lif abs.rle
expect_equal 'coordinates of Life 1.06 are those of Golly' "$(cat abs.rle)" $'#CXRLE Pos=100,200 Gen=0\nx = 3, y = 1\nobo!'
if command -v bgolly >bgolly.out; then
    bgolly -h -m 0 -q -q -o golly.mc guy.rle >bgolly.out
    convert golly.mc golly.rle
    expect_equal 'bgolly has the cells in the same place' "$(grep -v '^#[NOC] ' golly.rle)" "$(grep -v '^#[NOC] ' back.rle)"
fi
# Rules that Golly emulates, and files that it does not open.
printf 'x = 16, y = 16, rule = B0/S8:T16,16\n7$7bo!\n' >b0s8.rle
convert b0s8.rle b0s8.mc
expect_equal 'one warning' "$(wc -l <stderr)" 1
expect_stderr_has 'b0s8.rle: the rule has B0 and cells survive among live ones, so Golly takes the live cells'
for steps in 2 3; do
    printf 'x = 16, y = 16, rule = B0/S:T16,16\n7$7bo!\n' >b0s.rle
    printf '[run]\nplugin = life2d-bit\nsteps = %s\n[init]\nfile = b0s.rle\n' $steps >b0.ini
    expect_status 0 "$ENGINE" run b0.ini --force --set run.output=b0 --set 'output.formats=rle mc png'
    expect_equal "$steps steps with B0" "$(grep -c 'formats = rle: the rule has B0, so Golly takes' stderr)" $((steps % 2))
    expect_status 0 "$ENGINE" run b0.ini --force --set run.output=b0 --set output.formats=png
    expect_stderr_hasnt Golly
done
printf 'x = 3, y = 3, rule = 14678/2/2:T16,16\n.A.$2.A$3A!\n' >gen2.rle
convert gen2.rle gen2.mc
expect_equal 'a rule of Generations has squares of 2 x 2' "$(sed '1,2d' gen2.mc | cut -d' ' -f1 | sort -u | head -c 1)" 1
convert gen2.mc gen2-back.rle
expect_equal 'which are read back' "$(tail -n 1 gen2-back.rle)" 'bo$2bo$3o!'
if command -v bgolly >bgolly.out; then
    bgolly -a Generations -m 0 -q -q -o gen2-golly.rle gen2.mc >bgolly.out
    expect_equal 'also by bgolly' "$(tail -n 1 gen2-golly.rle)" 'bo$2bo$3o!'
fi
printf 'x = 3, y = 3, rule = R1,C0,M0,S2..3,B3..3,NM\nbo$2bo$3o!\n' >ltl.rle
convert ltl.rle ltl.mc
expect_stderr_has 'ltl.mc: Golly opens no macrocells of Larger than Life'
printf 'x = 2, y = 2, h = -4\nbo$2bo$3o!\n' >odd.rle
convert odd.rle odd.mc
expect_stderr_has 'odd.rle: the key h of its header line is not read; the header says 2 x 2, the pattern has 3 x 3 cells'

# ---- Macrocells: a run writes them, and another begins from them
run_of() { # run_of NAME STEPS SETTING...: a run of a grid of 90 x 70
    local name=$1 steps=$2
    shift 2
    printf '[run]\nplugin = life2d-bit\n' >macrocells.ini
    "$ENGINE" run macrocells.ini --set "run.steps=$steps" --set "run.output=$name" --set 'output.formats=mc npy' "$@" \
        --force >/dev/null
}
run_of one 20 --set grid.size='90 70' --set init.source=random --set init.seed=3 --set output.every=10
run_of two 10 --set init.file="$TMP/one/cells-0000000010.mc" --set output.every=10
expect_same two/cells-0000000010.npy one/cells-0000000020.npy
convert one/cells-0000000020.mc twenty.mc.gz
convert twenty.mc.gz twenty.rle
expect_equal 'the grid of the file is that of the run' "$(grep -o '^x.*rule = .*' twenty.rle)" 'x = 90, y = 70, rule = B3/S23:T90,70'
expect_equal 'and so is the step' "$(grep -o 'Gen=.*' twenty.rle)" 'Gen=20'

# ---- Patterns of a few bytes, and long names
printf 'x = 524288, y = 524288, rule = B3/S23\n3o!' >huge.rle
refused 'a pattern of 2^38 cells in 41 bytes' 3 \
    'the pattern has 524288 x 524288 x 1 cells, that is 275 G cells in a file of 41 bytes; the converter visits each cell and takes at most 4.29 G cells' \
    timeout 5 "$ENGINE" convert huge.rle huge.png
printf 'x = 524288, y = 524288, rule = /2/3\n3B!' >huge-states.rle
refused 'the same with three states' 3 '275 G cells in a file of 39 bytes' timeout 5 "$ENGINE" convert huge-states.rle \
    huge.png
printf 'x = 3, y = 3, rule = B3/S23\033[31m\n3o!' >escape.rle
refused 'an escape sequence in a rule' 3 'escape.rle:1: the rule has the byte 0x1B' "$ENGINE" convert escape.rle e.npy
printf '2\n\nX 0 0 0\nX 0 0 \033[31m\n' >escape.xyz
refused 'an escape sequence in a row' 3 'escape.xyz:4:' "$ENGINE" convert escape.xyz e.npy
expect_not 'it does not reach the terminal' grep -q $'\033' stderr
for length in 254 255; do
    name=$(printf "%$((length - 4))s" '' | tr ' ' n).npy
    convert "$gun" "$name"
    expect "a name of $length bytes" test -s "$name"
done

# ---- A signal removes the temporary file
printf 'x = 65536, y = 65536, rule = B3/S23\n3o!' >slow.rle
"$ENGINE" convert slow.rle slow.npy 2>stderr &
child=$!
for ((i = 0; i < 200; i++)); do
    compgen -G '.tmp.*' >/dev/null && break
    read -r -t 0.02 <> <(:)
done
kill -TERM $child
wait $child
expect_equal 'a stopped conversion has the status of its signal' $? 143
expect_stderr_has 'stopped by signal 15; slow.npy is not written'
expect_equal 'and leaves no file' "$(compgen -G '.tmp.*'; compgen -G 'slow.npy*')" ''

# ---- The formats
expect_status 0 "$ENGINE" help formats
for word in rle npy dcd snapshot ', all' '.lammpstrj.gz'; do expect_stdout_has "$word"; done

# A header that is too small for a pattern that fits its grid: no cell is lost.
printf 'x = 3, y = 3, rule = B3/S23:T20,20\n15o$3o!\n' >"$TMP/small-header.rle"
"$ENGINE" convert "$TMP/small-header.rle" - --to rle >"$TMP/whole.rle" 2>"$TMP/stderr"
expect_equal 'a header that is too small: all cells' "$(grep -v '^[#x]' "$TMP/whole.rle")" '15o$3o!'
plan
