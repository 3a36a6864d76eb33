#!/bin/bash
# Files of frames: a plugin without a state reads one frame in each step.
. "$(dirname "$0")/common"
. "$(dirname "$0")/census"

cat >"$TMP/census.ini" <<'INI'
[run]
plugin = census
INI

# follow NAME [OPTION]…: a run into the folder $TMP/NAME, which should end well.
follow() {
    local name=$1
    shift
    expect_status 0 "$ENGINE" run "$TMP/census.ini" --quiet --json --set "run.output=$TMP/run-$name" "$@"
}

# lost NAME STATUS TEXT [OPTION]…: a run that should end so.
lost() {
    local name=$1 wanted=$2 text=$3
    shift 3
    run "$ENGINE" run "$TMP/census.ini" --set "run.output=$TMP/lost" "$@"
    if [ "$status" = "$wanted" ] && grep -qF -e "$text" "$TMP/stderr"; then ok "$name"; else
        not_ok "$name" "exit status $status, expected $wanted and '$text'" "$(head -c 2000 "$TMP/stderr")"
    fi
    rm -rf "$TMP/lost"
}

counts() {
    numbers "$TMP/run-$1/counts-000000000$2.npy" Q
}

# Four frames of two particles, x = 0 1, 1 1, 1 2, 9 0; in boxes of 10, 11, 12, 13.
perl -e '
    my @x = ([0, 1], [1, 1], [1, 2], [9, 0]);
    open my $xyz, ">", "$ARGV[0].xyz";
    open my $dump, ">", "$ARGV[0].lammpstrj";
    open my $dcd, ">:raw", "$ARGV[0].dcd";
    open my $big, ">:raw", "$ARGV[0]-big.dcd";
    sub record { my ($file, $pack, @numbers) = @_;
        my $bytes = pack($pack, @numbers);
        my $word = $file == $big ? "N" : "V";
        print $file pack($word, length $bytes), $bytes, pack($word, length $bytes) }
    for my $file ($dcd, $big) {
        my $order = $file == $big ? ">" : "<";
        record($file, "a4l$order*", "CORD", 4, (0) x 9, 1, (0) x 8, 24);
        record($file, "l${order}a80", 1, "frames of a test");
        record($file, "l$order", 2);
    }
    for my $f (0 .. 3) {
        my $edge = 10 + $f;
        print $xyz "2\nLattice=\"$edge 0 0 0 20 0 0 0 20\" Properties=species:S:1:pos:R:3\n";
        print $xyz "$_->[0] $_->[1] 0 0\n" for ["A", $x[$f][0]], ["B", $x[$f][1]];
        print $dump "ITEM: TIMESTEP\n$f\nITEM: NUMBER OF ATOMS\n2\nITEM: BOX BOUNDS pp pp pp\n0 $edge\n0 20\n0 20\n",
            "ITEM: ATOMS id type x y z\n2 2 $x[$f][1] 0 0\n1 1 $x[$f][0] 0 0\n";
        for my $file ($dcd, $big) {
            my $order = $file == $big ? ">" : "<";
            record($file, "d$order*", $edge, 0, 20, 0, 0, 20);
            record($file, "f$order*", @{$x[$f]});
            record($file, "f$order*", 0, 0) for 1, 2;
        }
    }' "$TMP/t"
npy "$TMP/t.npy" '<f4' '4, 2, 3' f 0 0 0 1 0 0 1 0 0 1 0 0 1 0 0 2 0 0 9 0 0 0 0 0
npy "$TMP/species.npy" '|u1' '2,' C 0 1

# All frames, where no number of steps is given: with species where the file has them.
for file in t.xyz t.lammpstrj; do
    follow "$file" --set "init.file=$TMP/$file"
    expect_equal "$file: counts of four frames" "$(counts "$file" 4)" '1 1 2 2 0 1 0 0'
    expect_equal "$file: a box for each" "$(numbers "$TMP/run-$file/frames-0000000004.npy" d)" '4 4 46'
done
for file in t.dcd t-big.dcd; do
    follow "$file" --set "init.file=$TMP/$file"
    expect_equal "$file: counts of four frames" "$(counts "$file" 4)" '2 0 4 0 1 0 0 0'
    expect_equal "$file: a box for each" "$(numbers "$TMP/run-$file/frames-0000000004.npy" d)" '4 0 46'
done
follow npy --set "init.file=$TMP/t.npy"
expect_equal 'an array of frames' "$(counts npy 4)" '2 0 4 0 1 0 0 0'
follow arrays --set init.source=arrays --set "init.position=$TMP/t.npy" --set "init.species=$TMP/species.npy" \
    --set 'particles.box=7 7 7'
expect_equal 'species of all frames, and the box of the configuration' "$(counts arrays 4)" '1 1 2 2 0 1 0 0'
expect_equal 'in that box' "$(numbers "$TMP/run-arrays/frames-0000000004.npy" d)" '4 4 28'
gzip -k "$TMP/t.xyz"
follow zipped --set "init.file=$TMP/t.xyz.gz"
expect_equal 'a gzip-ed one' "$(counts zipped 4)" '1 1 2 2 0 1 0 0'

# Some of them.
follow two --set "init.file=$TMP/t.dcd" --set run.steps=2
expect_equal 'the first two' "$(counts two 2)" '1 0 3 0 0 0 0 0'
follow behind --set "init.file=$TMP/t.dcd" --set init.frames=1:
expect_equal 'without the first' "$(counts behind 3)" '1 0 3 0 1 0 0 0'
follow second --set "init.file=$TMP/t.xyz" --set init.frames=::2
expect_equal 'every second' "$(counts second 2)" '1 0 1 1 0 1 0 0'
follow middle --set "init.file=$TMP/t.lammpstrj" --set init.frames=1:3
expect_equal 'from one to another' "$(counts middle 2)" '0 0 2 1 0 1 0 0'
follow last --set "init.file=$TMP/t.npy" --set init.frames=3:9:5
expect_equal 'one alone' "$(counts last 1)" '1 0 0 0 0 0 0 0'

# Outputs between stand for the frames so far.
follow outputs --set "init.file=$TMP/t.xyz" --set output.every=1 --set 'output.formats=npy csv'
expect_equal 'after one frame' "$(counts outputs 1)" '1 0 0 1 0 0 0 0'
expect_equal 'the table is of all' "$(sed -n 2p "$TMP/run-outputs/census.csv")" '0.5,0.25,0.25,1,1'

expect_status 0 "$ENGINE" check "$TMP/census.ini" --set "init.file=$TMP/t.dcd"
expect_stdout_has "position from $TMP/t.dcd, 4 frames"
expect_stdout_has 'steps           4'

# A run that goes through frames may be looked at too: after step n it holds frame n, counted from 1.
"${cc[@]}" -std=c11 -O1 -fPIC -shared -Iinclude -DNAME='"still"' -DROLE=ENGINE_INPUT tests/particles/drift.c \
    -o "$TMP/still.so"
follow looked --set run.plugin=still --set "init.file=$TMP/t.xyz" --set analyse.plugin=census --set analyse.every=1 \
    --set analyse.from=1
expect_equal 'an analysis of a trajectory' "$(counts looked 4)" '1 1 2 2 0 1 0 0'
expect_equal 'with the boxes of its frames' "$(numbers "$TMP/run-looked/frames-0000000004.npy" d)" '4 4 46'

# Frames with and without a box do not mix. A box of the configuration takes the place of all.
perl -pe 's/^Lattice="\S+ 0 0 0 \S+ 0 0 0 \S+" /$n++ == 2 ? "" : $&/e' "$TMP/t.xyz" >"$TMP/mixed.xyz"
perl -pe 's/^Lattice="\S+ 0 0 0 \S+ 0 0 0 \S+" /$n++ == 2 ? $& : ""/e' "$TMP/t.xyz" >"$TMP/opened.xyz"
lost 'a frame without a box' 3 \
    'after 2 frames: the next frame is open along x, and the first frame has a periodic box' --set "init.file=$TMP/mixed.xyz"
lost 'a frame with a box' 3 \
    'after 2 frames: the next frame has a periodic box along x, and the first frame is open' --set "init.file=$TMP/opened.xyz"
follow mixed --set "init.file=$TMP/mixed.xyz" --set 'particles.box=20 20 20'
expect_equal 'the box of the configuration' "$(numbers "$TMP/run-mixed/frames-0000000004.npy" d)" '4 4 80'
follow opened --set "init.file=$TMP/mixed.xyz" --set 'particles.box=0 0 0'
expect_equal 'no box at all' "$(numbers "$TMP/run-opened/frames-0000000004.npy" d)" '4 4 0'

# Old dumps do not say which axes are periodic. MDAnalysis and chemfiles read the box as a cell.
sed 's/^ITEM: BOX BOUNDS.*/ITEM: BOX BOUNDS/' "$TMP/t.lammpstrj" >"$TMP/flagless.lammpstrj"
follow flagless --set "init.file=$TMP/flagless.lammpstrj"
expect_equal 'a dump without flags is periodic' "$(numbers "$TMP/run-flagless/frames-0000000004.npy" d)" '4 4 46'

expect_status 0 "$ENGINE" check "$TMP/census.ini" --set "init.file=$TMP/flagless.lammpstrj"
expect_stderr_has 'flagless.lammpstrj: BOX BOUNDS does not say which axes are periodic; all are taken for periodic'

# A plugin with a state starts from the last frame.
drift state --set "init.file=$TMP/t.dcd" --set run.steps=0
expect_equal 'the last frame' "$(numbers "$TMP/state/position-0000000000.npy" f)" '9 0 0 0 0 0'
expect_equal 'and its box' "$(metric state length_x)" 13
refused 'frames for a plugin with a state' 2 '[init] frames can be used only with plugins that read particles' \
    --set "init.file=$TMP/t.dcd" --set init.frames=1:

sed 's/Lattice="12 /Lattice="99 /' "$TMP/t.xyz" >"$TMP/long.xyz"
lost 'a box that the plugin refuses, in the third frame' 2 'after 2 frames: census: check: a box of 99 is too long' \
    --set "init.file=$TMP/long.xyz"
lost 'more steps than frames' 2 'the input has 4 frames for 5 steps' --set "init.file=$TMP/t.dcd" --set run.steps=5
lost 'no such frame' 3 'has 4 frames, but --set: [init] frames starts at frame 4' \
    --set "init.file=$TMP/t.xyz" \
    --set init.frames=4:
for frames in 3 a: 1:1 2:1 ::0 1:2:3:4 -1: 01:x; do
    lost "frames = $frames" 2 "'$frames' is not a range of frames" --set "init.file=$TMP/t.xyz" \
        --set "init.frames=$frames"
done
head -c -3 "$TMP/t.dcd" >"$TMP/cut.dcd"
lost 'a DCD file cut short' 3 'ends within frame 3' --set "init.file=$TMP/cut.dcd"
head -n -1 "$TMP/t.xyz" >"$TMP/cut.xyz"
lost 'an XYZ file cut short' 3 'the file ends after 1 of 2 particles' --set "init.file=$TMP/cut.xyz"
gzip -k "$TMP/t.dcd"
lost 'a gzip-ed DCD file' 3 'is a gzip-compressed .dcd file; gunzip it first' --set "init.file=$TMP/t.dcd.gz"
sed 's/^A 9 0 0/A nan 0 0/' "$TMP/t.xyz" >"$TMP/nan.xyz"
lost 'no number in the last frame' 3 "'nan' is not a finite number" --set "init.file=$TMP/nan.xyz"
perl -e 'local $/; my $bytes = <STDIN>; substr($bytes, -8, 4) = pack("L", 0x7fc00000); print $bytes' <"$TMP/t.dcd" \
    >"$TMP/nan.dcd"
lost 'no number in the last frame of a DCD file' 3 'element 5 of field position is infinite or not a number' \
    --set "init.file=$TMP/nan.dcd"
follow before-nan --set "init.file=$TMP/nan.dcd" --set run.steps=3
expect_equal 'a frame behind the last step may be damaged' "$(counts before-nan 3)" '1 0 4 0 1 0 0 0'
npy "$TMP/other.npy" '<f4' '3, 2, 3' f 0 0 0 1 0 0 1 0 0 1 0 0 1 0 0 2 0 0
npy "$TMP/frames.npy" '|u1' '4, 2, 1' C 0 1 1 0 0 1 1 0
follow species --set init.source=arrays --set "init.position=$TMP/t.npy" --set "init.species=$TMP/frames.npy"
expect_equal 'species that change' "$(counts species 4)" '2 0 2 2 0 1 0 0'
lost 'arrays of other numbers of frames' 3 'has 4 frames, expected 3' --set init.source=arrays \
    --set "init.position=$TMP/other.npy" --set "init.species=$TMP/frames.npy"

plan
