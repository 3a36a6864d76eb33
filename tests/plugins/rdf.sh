#!/bin/bash
# rdf: configurations that it refuses, the files that a run writes, and the configurations that come with it.
. "$(dirname "$0")/../lib.sh"
export OMP_WAIT_POLICY=passive

cat >"$TMP/rdf.ini" <<END
[run]
plugin = rdf
steps = 1
output = $TMP/out
[init]
file = position.npy
[rdf]
bins = 4
r_max = 2
END

# npy FILE TYPE LETTER SHAPE NUMBER…: little-endian.
npy() {
    perl -e 'my ($type, $letter, $shape, @numbers) = @ARGV;
        my $header = "{\x27descr\x27: \x27$type\x27, \x27fortran_order\x27: False, \x27shape\x27: ($shape), }";
        $header .= " " x (117 - length $header) . "\n";
        print "\x93NUMPY\x01\x00", pack("v", length $header), $header, pack("$letter<*", map { 0 + $_ } @numbers)' \
        "${@:2}" >"$TMP/$1.npy"
}

# numbers FILE LETTER: those at the end of a file of 4
numbers() {
    perl -e 'binmode STDIN; local $/; print join " ", unpack "$ARGV[0]<4", substr <STDIN>, -32' "$2" <"$1"
}

# Four on a square of side 1: four sides, bins 2; two diagonals, sqrt(2), bin 2 too; widths are 0.5.
npy position '<f4' f '4, 3' 0 0 0 1 0 0 0 1 0 1 1 0
for implementation in cpu-serial cpu; do
    expect_status 0 "$ENGINE" run "$TMP/rdf.ini" --quiet --force --set run.implementation=$implementation
    expect_equal "$implementation: six pairs" "$(numbers "$TMP/out/counts-0000000001.npy" Q)" '0 0 6 0'
    expect_equal "$implementation: three neighbours each" "$(numbers "$TMP/out/n-0000000001.npy" d)" '0 0 3 3'
    expect_equal "$implementation: the middles of bins" "$(numbers "$TMP/out/r-0000000001.npy" d)" '0.25 0.75 1.25 1.75'
done

# refused STATUS TEXT [SETTING…]
refused() {
    local wanted=$1 text=$2 setting settings=()
    for setting in "${@:3}"; do settings+=(--set "$setting"); done
    expect_status "$wanted" "$ENGINE" run "$TMP/rdf.ini" --quiet --force "${settings[@]}"
    expect_stderr_has "$text"
}

refused 2 'bins' rdf.bins=0
refused 2 'bins' rdf.bins=8193
refused 2 'r_max' rdf.r_max=0
refused 2 "r_max = 2 is more than half of the smallest edge of the box" 'particles.box=9 3.9 9'
refused 2 'expected r_max = 1.95 or less' 'particles.box=9 3.9 9'
refused 2 "'0' is neither 'all' nor pairs of species" rdf.between=0
refused 2 "'0 1,' is neither 'all' nor pairs of species" 'rdf.between=0 1,'
refused 2 "'0 -1' is neither 'all' nor pairs of species" 'rdf.between=0 -1'
refused 2 'volume = 7, but the volume of the box is 125; leave out volume' 'particles.box=5 5 5' rdf.volume=7
expect_status 0 "$ENGINE" run "$TMP/rdf.ini" --quiet --force --set 'particles.box=9 4 9'
expect_status 0 "$ENGINE" run "$TMP/rdf.ini" --quiet --force --set 'particles.box=4 4 4 100 -30.5 7'

npy position '<f4' f '4, 3' 0 0 0 1 0 0 0 nan 0 1 1 0
refused 3 'infinite or not a number'
npy position '<f4' f '4, 3' 0 0 0 1 0 0 0 1 0 1 2e18 0
refused 2 'particle 3: its position is 1 2e+18 0; expected numbers up to 1e+18'
npy position '<f4' f '4, 2' 0 0 0 1 0 0 0 1
expect_status 3 "$ENGINE" run "$TMP/rdf.ini" --quiet --force

# Positions of double precision that are too far away for a place in the box are refused, too.
npy position '<f8' d '4, 3' 0 0 0 1 0 0 0 1 0 1 1e30 0
run "$ENGINE" run "$TMP/rdf.ini" --quiet --force --set particles.box='10 10 10' --set rdf.r_max=2
expect_equal 'a position of 1e30 in a box: status' "$status" 2
expect_stderr_has 'particle 3: '

# Without a box g is a density, which is said.
npy position '<f4' f '4, 3' 0 0 0 1 0 0 0 1 0 1 1 0
expect_status 0 "$ENGINE" check "$TMP/rdf.ini"
expect_stdout_has 'box             none: open along x y z'
expect_status 0 "$ENGINE" run "$TMP/rdf.ini" --force
expect_stdout_has 'g              a number density, as there is no box and no [rdf] volume'
expect_status 0 "$ENGINE" run "$TMP/rdf.ini" --force --set rdf.volume=5
expect_stdout_hasnt 'number density'

# Where bodies lie, and from the file that they were written to: the same counts, whatever the layouts.
cat >"$TMP/bodies.ini" <<END
[run]
plugin = nbody
steps = 3
output = $TMP/bodies
[particles]
count = 700
[init]
source = cube
[analyse]
plugin = rdf
END
expect_status 0 "$ENGINE" run "$TMP/bodies.ini" --quiet --force --set rdf.r_max=0.5
expect_status 0 "$ENGINE" run "$TMP/rdf.ini" --quiet --force --set init.file="$TMP/bodies/position-0000000003.npy" \
    --set rdf.r_max=0.5 --set rdf.bins=512 --set run.implementation=cpu-serial
for field in counts g n; do
    expect_same "$TMP/bodies/$field-0000000003.npy" "$TMP/out/$field-0000000001.npy"
done

# Three frames in boxes of their own: pairs 1, across the seam 0.75, and 1 apart; volumes 64, 27 and 125.
frame() {
    printf '2\nLattice="%s 0 0 0 %s 0 0 0 %s" Properties=species:S:1:pos:R:3\n%s\n%s\n' "$1" "$1" "$1" "O 0 0 0" \
        "H $2 0 0"
}
{ frame 4 1 && frame 3 2.25 && frame 5 1; } >"$TMP/frames.xyz"
for implementation in cpu-serial cpu; do
    expect_status 0 "$ENGINE" run "$TMP/rdf.ini" --quiet --force --set init.file="$TMP/frames.xyz" --set rdf.r_max=1.5 \
        --set run.steps=3 --set run.implementation=$implementation --set 'rdf.between=0 1' --set rdf.bins=4
    expect_equal "$implementation: pairs of three frames" "$(numbers "$TMP/out/counts-0000000003.npy" Q)" '0 0 3 0'
    expect_equal "$implementation: neighbours" "$(numbers "$TMP/out/n-0000000003.npy" d)" '0 0 1 1'
    # 3 / ((1/64 + 1/27 + 1/125) 4/3 pi (1.125^3 - 0.75^3))
    expect "$implementation: g by the volumes of all" perl -e \
        'my $is = (split " ", shift)[2]; exit(abs($is / 11.7833357 - 1) > 1e-6)' \
        "$(numbers "$TMP/out/g-0000000003.npy" d)"
done
refused 2 'r_max = 1.6 is more than half' init.file="$TMP/frames.xyz" rdf.r_max=1.6 run.steps=3

# Water: names of species, excluded pairs, errors and S(q). MDAnalysis and freud computed the counts and g in
# rdf-water.txt (rdf-water.py).
here=$(cd "$(dirname "$0")" && pwd)
cat >"$TMP/water.ini" <<END
[run]
plugin = rdf
output = $TMP/water
[init]
file = $here/rdf-water.gro
length_unit = angstrom
[output]
formats = csv npy
[rdf]
bins = 30
r_max = 3
between = OW-OW, OW HW*, HW*-HW*
END

# water [SETTING…]: runs the configuration
water() {
    local setting settings=()
    for setting in "$@"; do settings+=(--set "$setting"); done
    expect_status 0 "$ENGINE" run "$TMP/water.ini" --quiet --force "${settings[@]}"
}

for implementation in cpu-serial cpu; do
    water run.implementation=$implementation
    expect "$implementation: counts and g of MDAnalysis and freud" perl -e '
        open my $csv, "<", shift; open my $golden, "<", shift;
        my (undef, @rows) = map { [split /,/] } <$csv>;
        my $lines = 0;
        while (<$golden>) {
            my ($row, $bin, $count, @g) = split " ";
            my $is = $rows[$bin];
            $lines++;
            exit 1 if $is->[7 + $row] != $count;
            for (@g) { exit 1 if abs($is->[1 + $row] - $_) > 4e-6 * $_ }
        }
        exit($lines != 90)' "$TMP/water/rdf.csv" "$here/rdf-water.txt"
done
cp "$TMP/water/rdf.csv" "$TMP/by-name.csv"
water rdf.between=each run.implementation=cpu-serial
expect_equal 'each: six pairs of three species, which are the names of the columns' \
    "$(head -1 "$TMP/water/rdf.csv" | tr ',' '\n' | grep '^g_' | tr '\n' ' ')" \
    'g_OW-OW g_OW-HW1 g_OW-HW2 g_HW1-HW1 g_HW1-HW2 g_HW2-HW2 '
for implementation in cpu-serial cpu; do
    for between in each 'OW-OW, OW HW*' all; do
        run "$ENGINE" run "$TMP/water.ini" --force --json --set "rdf.between=$between" \
            --set run.implementation=$implementation
        case $between in
        each) columns='g_0 = OW-OW, g_1 = OW-HW1, g_2 = OW-HW2, g_3 = HW1-HW1, g_4 = HW1-HW2, g_5 = HW2-HW2' ;;
        all) columns= ;;
        *) columns='g_0 = OW-OW, g_1 = OW-HW*' ;;
        esac
        expect_equal "$implementation, $between: which pair a column stands for" \
            "$(sed -n 's/.*"columns":"\(.*\)".*/\1/p' "$TMP/stdout")" "$columns"
    done
done
water 'rdf.between=OW-OW, OW-HW1, OW-HW2'
expect 'O-H is O-H1 and O-H2' perl -e 'open my $a, "<", shift; open my $b, "<", shift; <$a>, <$b>;
    while (<$a>) { my @one = split /,/; my @two = split /,/, <$b>; exit 1 if $one[8] != $two[8] + $two[9] }' \
    "$TMP/by-name.csv" "$TMP/water/rdf.csv"

# expect_refused TEXT SETTING…
expect_refused() {
    local setting settings=()
    for setting in "${@:2}"; do settings+=(--set "$setting"); done
    expect_status 2 "$ENGINE" check "$TMP/water.ini" "${settings[@]}"
    expect_stderr_has "$1"
}
# Names of 28 pairs stand whole in the table and in the summary.
printf '7\nLattice="20 0 0 0 20 0 0 0 20" Properties=species:S:1:pos:R:3\n' >"$TMP/seven.xyz"
for i in 0 1 2 3 4 5 6; do echo "A$i $i 0 0"; done >>"$TMP/seven.xyz"
expect_status 0 "$ENGINE" run "$TMP/water.ini" --quiet --force --set init.file="$TMP/seven.xyz" --set rdf.between=each \
    --set rdf.r_max=5
expect_equal 'the names of 28 pairs: CSV' "$(head -1 "$TMP/water/rdf.csv" | tr ',' '\n' | grep -c '^count_A[0-6]-A[0-6]$')" 28
expect 'the names of 28 pairs: summary' grep -q '"columns":"g_0 = A0-A0, .*, g_26 = A5-A6, g_27 = A6-A6"' \
    "$TMP/water/summary.json"
printf '2\nLattice="20 0 0 0 20 0 0 0 20" Properties=species:S:1:pos:R:3\na,b 0 0 0\nc"d 1 0 0\n' >"$TMP/odd.xyz"
expect_status 0 "$ENGINE" run "$TMP/water.ini" --quiet --force --set init.file="$TMP/odd.xyz" --set rdf.between=each
expect_equal 'names with a comma and a quote' "$(head -1 "$TMP/water/rdf.csv" | cut -c1-40)" \
    'r,"g_a,b-a,b","g_a,b-c""d","g_c""d-c""d"'

# Only what the parameters ask for is written, unless `fields` names it.
files() { (cd "$TMP/water" && echo ./*.npy | sed 's#\./##g; s/-[0-9]*\.npy//g'); }
rm -r "$TMP/water"
water
expect_equal 'the files of a plain run' "$(files)" 'centres counts frames g ideal n r'
rm -r "$TMP/water"
water rdf.blocks=2 rdf.q_bins=4
expect_equal 'with errors and S(q)' "$(files)" 'block_counts block_ideal centres counts frames g g_error ideal n q r s'
rm -r "$TMP/water"
water output.fields='counts q'
expect_equal 'fields that are named' "$(files)" 'counts q'

# Numbers of species count from 0. One that no particle has is an error, in every frame source.
cat >"$TMP/types.lammpstrj" <<'END'
ITEM: TIMESTEP
0
ITEM: NUMBER OF ATOMS
3
ITEM: BOX BOUNDS pp pp pp
0 20
0 20
0 20
ITEM: ATOMS id type x y z
1 1 0 0 0
2 2 1 0 0
3 2 3 0 0
END
for implementation in cpu-serial cpu; do
    types() {
        local between=$1
        shift
        "$@" "$ENGINE" run "$TMP/water.ini" --force --json --set init.file="$TMP/types.lammpstrj" --set init.length_unit=file \
            --set rdf.bins=4 --set rdf.r_max=4 --set run.implementation=$implementation --set "rdf.between=$between"
    }
    for between in '1 2' '2 2' '0 0, 1 7'; do
        types "$between" expect_status 2
        expect_stderr_has 'between: no particle has the species '
        expect_stderr_has 'the first frame has 0 1. Numbers count from 0: the type 1 of a dump is the species 0'
    done
    types '0 1' expect_status 0
    expect_equal "$implementation: a pair of types" "$(numbers "$TMP/water/counts-0000000001.npy" Q)" '0 1 0 1'
    expect_stdout_has '"columns":"g = 0-1"'
    expect_stdout_has '"species":"numbers count from 0: the type 1 of a dump is the species 0"'
    types '1 1' expect_status 0
    expect_equal "$implementation: type 2" "$(numbers "$TMP/water/counts-0000000001.npy" Q)" '0 0 1 0'
done
# LAMMPS writes types into XYZ files as symbols. They are names, then.
printf '3\nLattice="20 0 0 0 20 0 0 0 20" Properties=species:S:1:pos:R:3\n1 0 0 0\n2 1 0 0\n2 3 0 0\n' >"$TMP/types.xyz"
digits() {
    expect_status "$1" "$ENGINE" run "$TMP/water.ini" --quiet --force --set init.file="$TMP/types.xyz" \
        --set init.length_unit=file --set rdf.bins=4 --set rdf.r_max=4 --set "rdf.between=$2"
}
digits 0 '1 2'
expect_equal 'symbols of digits' "$(numbers "$TMP/water/counts-0000000001.npy" Q)" '0 1 0 1'
digits 0 '2-2'
expect_equal 'symbols of digits: the second' "$(numbers "$TMP/water/counts-0000000001.npy" Q)" '0 0 1 0'
digits 2 '3 3'
for between in '0 1' '1 0' '2 2, 0 0'; do
    digits 2 "$between"
    expect_stderr_has 'of the numbers, some are names of species and some are not; expected names alone; the first frame has 1 2'
done
digits 0 '0 0'
expect_equal 'a number alone' "$(numbers "$TMP/water/counts-0000000001.npy" Q)" '0 0 0 0'
# Names and numbers of a file with names that are no digits: H-O, H-H.
sed 's/^1/O/; s/^2/H/' "$TMP/types.xyz" >"$TMP/named.xyz"
for between in '0 H' 'O 1' '0 1'; do
    expect_status 0 "$ENGINE" run "$TMP/water.ini" --force --json --set init.file="$TMP/named.xyz" \
        --set init.length_unit=file --set rdf.bins=4 --set rdf.r_max=4 --set "rdf.between=$between"
    expect_equal "a name and a number: $between" "$(numbers "$TMP/water/counts-0000000001.npy" Q)" '0 1 0 1'
    expect_stdout_has '"species":"numbers count from 0: the type 1 of a dump is the species 0"'
done

# No pair in range: the default of r_max may be in another unit.
expect_status 0 "$ENGINE" run "$TMP/water.ini" --force --set init.file="$TMP/seven.xyz" --set rdf.between=all \
    --set rdf.r_max=0.5
expect_stderr_has 'engine: warning: rdf: no pair of the first frame is closer than r_max = 0.5; set a larger [rdf] r_max, in the unit of the positions'
expect_status 0 "$ENGINE" run "$TMP/water.ini" --force --set init.file="$TMP/seven.xyz" --set rdf.between=all
expect_stderr_hasnt 'no pair of the first frame'

expect_refused "no species is called 'XX'; the first frame has OW HW1 HW2" rdf.between=OW-XX
expect_refused "'HW1' has a species that another group has too" 'rdf.between=HW*-HW1'
refused 2 "'O' is the name of a species, but the input has no names" rdf.between=O-O
refused 2 'between = each: the input has no names of species' rdf.between=each
expect_refused 'blocks = 1; expected 0, or 2 to 64' rdf.blocks=1

# Excluded pairs: from a list, from CONECT records, and as molecules, they are the same.
{ echo '# bonds'; for ((i = 0; i < 24; i += 3)); do printf '%d %d # O-H\n\n%d %d\n%d %d\n' $i $((i + 1)) $((i + 2)) $i \
    $((i + 1)) $((i + 2)); done; } \
    >"$TMP/bonds.txt"
expect_status 0 "$ENGINE" convert "$here/rdf-water.gro" "$TMP/bonds.pdb" --frames 0:1
for ((i = 1; i <= 24; i += 3)); do
    printf 'CONECT%5d%5d%5d\nCONECT%5d%5d%5d\n' $i $((i + 1)) $((i + 2)) $((i + 2)) $i $((i + 1))
done >>"$TMP/bonds.pdb"
water rdf.exclude_block=3
cp "$TMP/water/rdf.csv" "$TMP/molecules.csv"
expect_not 'pairs of a molecule are not counted' cmp -s "$TMP/by-name.csv" "$TMP/molecules.csv"
for implementation in cpu-serial cpu; do
    for exclude in bonds.txt bonds.pdb; do
        water rdf.exclude=$exclude run.implementation=$implementation
        expect_same "$TMP/water/rdf.csv" "$TMP/molecules.csv"
    done
    water rdf.exclude=bonds.txt rdf.exclude_block=3 run.implementation=$implementation
    expect_same "$TMP/water/rdf.csv" "$TMP/molecules.csv"
done
water rdf.exclude=bonds.pdb run.parts=2
expect_same "$TMP/water/rdf.csv" "$TMP/molecules.csv"
for line in '0' '0 24' '3 3' '0 -1' '0 1 2' 'a b'; do
    echo "$line" >"$TMP/bad.txt"
    expect_refused 'bad.txt' rdf.exclude=bad.txt
done
{ grep -v ^CONECT "$TMP/bonds.pdb" && printf 'CONECT    1   25\n'; } >"$TMP/bad.pdb"
expect_refused 'CONECT names an atom that is not in the file' rdf.exclude=bad.pdb
expect_refused 'cannot be read' rdf.exclude=absent.pdb
# The pairs of one residue, in a mixture: MDAnalysis counted the others in rdf-mixture.txt (rdf-mixture.py).
{ echo '; residues' && perl -ne 'next if $. < 3 || eof; my $r = substr $_, 0, 10;
    printf "%s[ r ]\n", $. > 3 ? "\n" : "" if $r ne $before; $before = $r; printf "%d ", $. - 2' "$here/rdf-mixture.gro"; } \
    >"$TMP/residues.ndx"
{ printf '[ one ]\n1\n' && cat "$TMP/residues.ndx"; } >"$TMP/one.ndx" # a group of one particle leaves out no pair
for implementation in cpu-serial cpu; do
    for exclude in "$here/rdf-mixture.gro" residues.ndx one.ndx; do
        water init.file="$here/rdf-mixture.gro" rdf.exclude="$exclude" run.implementation=$implementation rdf.bins=20 \
            rdf.r_max=5 'rdf.between=OW-OW, OW-HW1, C-HO, OW-NA'
        expect_equal "pairs of other residues: $implementation, ${exclude##*/}" \
            "$(tail -c 640 "$TMP/water/counts-0000000001.npy" | od -An -v -t u8 | xargs)" "$(head -n 4 "$here/rdf-mixture.txt" | cut -d ' ' -f 3- | xargs)"
    done
    # Groups of an index file, of which System has particles of the others.
    water init.file="$here/rdf-mixture.gro" rdf.exclude="$here/rdf-mixture.gro" run.implementation=$implementation \
        rdf.bins=20 rdf.r_max=5 rdf.index="$here/rdf-mixture.ndx" \
        'rdf.between=Solvent-Solvent, Solvent-Cation, Solvent Some-OW, Some-OW Some-OW'
    expect_equal "groups of an index file: $implementation" \
        "$(tail -c 640 "$TMP/water/counts-0000000001.npy" | od -An -v -t u8 | xargs)" \
        "$(tail -n 4 "$here/rdf-mixture.txt" | cut -d ' ' -f 3- | xargs)"
    expect_equal 'their names' "$(head -n 1 "$TMP/water/rdf.csv" | tr , '\n' | grep ^g_ | xargs)" \
        'g_Solvent-Solvent g_Solvent-Cation g_Solvent-Some-OW g_Some-OW-Some-OW'
done
for bad in '[ a ]\n1 25\n' '[ a ]\n1 0\n' '[ a ]\n1 x\n' '; c\n1 -2\n' '[ a ]\n1 2x\n'; do
    printf "$bad" >"$TMP/bad.ndx"
    expect_refused 'bad.ndx:2: ' rdf.exclude=bad.ndx
done
expect_refused "rdf-mixture.gro:2: '72' atoms; expected 24, one a particle" rdf.exclude="$here/rdf-mixture.gro"
group() { # group BETWEEN FILE TEXT: the index file is refused.
    expect_refused "$3" init.file="$here/rdf-mixture.gro" rdf.index="$2" rdf.between="$1"
}
group 'Solvent-Other' "$here/rdf-mixture.ndx" "between: the index file $here/rdf-mixture.ndx has no group 'Other'"
group 'Solvent-System' "$here/rdf-mixture.ndx" "is in the groups 'System' and 'Solvent' of between"
group all "$here/rdf-mixture.ndx" 'index: between is all; expected pairs of groups of the file'
group each "$here/rdf-mixture.ndx" 'between = each: expected pairs of groups of the file index'
group A-A absent.ndx 'absent.ndx: cannot be read'
printf '[ A ]\n1 73\n' >"$TMP/bad.ndx"
group A-A bad.ndx "bad.ndx:2: '73' begins with no number of a particle from 1 to 72"
{ echo '[ many ]' && perl -e 'print "1 " x 200, "\n" for 1 .. 21'; } >"$TMP/bad.ndx"
expect_refused 'the residue or group has more than 4096 particles' rdf.exclude=bad.ndx
mkfifo "$TMP/pipe" && truncate -s 100G "$TMP/sparse" && truncate -s 1M "$TMP/zeros"
for file in "$TMP/pipe" "$TMP/sparse" "$TMP/zeros" /dev/zero; do
    run timeout 20 "$ENGINE" check "$TMP/water.ini" --set "rdf.exclude=$file"
    expect_equal "nobody waits for ${file##*/}" "$status $(grep -c "exclude: $file: cannot be read: " "$TMP/stderr")" '2 1'
done

# Errors: with three blocks of two frames, those of three runs of two frames each.
for ((i = 0; i < 3; i++)); do
    water init.frames=$((2 * i)):$((2 * i + 2))
    cp "$TMP/water/rdf.csv" "$TMP/block-$i.csv"
done
water rdf.blocks=3
cp "$TMP/water/rdf.csv" "$TMP/errors.csv"
expect 'the error is that of the blocks' perl -e '
    my ($errors, @blocks) = map { open my $file, "<", $_; <$file>; [map { [split /,/] } <$file>] } @ARGV;
    for my $k (0 .. 29) {
        for my $row (0 .. 2) {
            my @g = map { $_->[$k][1 + $row] } @blocks;
            my $mean = ($g[0] + $g[1] + $g[2]) / 3, $squares = 0;
            $squares += ($_ - $mean) ** 2 for @g;
            my $is = $errors->[$k][10 + $row];
            exit 1 if abs($is - sqrt($squares / 6)) > 1e-12 * (1 + $is);
            $positive += $is > 0;
        }
    }
    exit($positive < 30)' "$TMP/errors.csv" "$TMP"/block-[012].csv
water rdf.blocks=3 run.implementation=cpu-serial
expect_same "$TMP/water/rdf.csv" "$TMP/errors.csv"
expect_status 0 "$ENGINE" run "$TMP/water.ini" --quiet --force --set rdf.blocks=3 --set checkpoint.every=1 \
    --set run.steps=5
expect_status 0 "$ENGINE" resume "$TMP/water" --quiet --set run.steps=6
expect_same "$TMP/water/rdf.csv" "$TMP/errors.csv"

# S(q), by the formula.
for window in lorch none; do
    water rdf.q_bins=7 rdf.q_max=14 rdf.q_window=$window
    expect "window $window: S(q)" perl -e '
        my ($window, @files) = @ARGV;
        my ($table, $s) = map { open my $file, "<", $_; <$file>; [map { [split /,/] } <$file>] } @files;
        my $pi = 4 * atan2(1, 1), $density = 24 / 6.208 ** 3;
        for my $q (0 .. 6) {
            exit 1 if abs($s->[$q][0] - 2 * ($q + 1)) > 1e-12;
            for my $row (0 .. 2) {
                my $sum = 0;
                for my $k (0 .. 29) {
                    my $r = ($k + 0.5) / 10; my $x = 2 * ($q + 1) * $r; my $y = $pi * $r / 3;
                    my $shell = 4 / 3 * $pi * ((($k + 1) / 10) ** 3 - ($k / 10) ** 3);
                    $sum += ($table->[$k][1 + $row] - 1) * $shell * sin($x) / $x * ($window eq "lorch" ? sin($y) / $y : 1);
                }
                exit 1 if abs($s->[$q][1 + $row] - 1 - $density * $sum) > 1e-5 * (1 + abs($density * $sum));
            }
        }
        exit(@$s != 7)' $window "$TMP/water/rdf.csv" "$TMP/water/rdf-q.csv"
done

# ---- The plot: one panel of g, a line at 1, r with its unit. The noise of the first bins does not set its scale
expect_status 0 "$ENGINE" run configs/rdf-ideal.ini --quiet --set run.output="$TMP/plot" --set init.length_unit=nm
expect 'a panel of g alone, and the line at its tick 1' perl -e '
    my ($svg, $csv) = map { local (@ARGV, $/) = $_; <> } @ARGV;
    my ($one) = $svg =~ /y="([\d.]+)"[^>]*>1</;
    my ($line) = $svg =~ /M84.00 ([\d.]+)H700.00" stroke="#333333" stroke-dasharray/;
    my ($highest) = sort { $b <=> $a } map { (split /,/)[1] } grep { /^\d/ } split /\n/, $csv;
    exit !(2 == (() = $svg =~ /<svg/g) && abs($one - 4 - $line) < 0.01 && $highest > 5 && $svg !~ /"end"[^>]*>[2-9]</)' \
    "$TMP/plot/rdf.svg" "$TMP/plot/rdf.csv"
for text in 'rdf, position 8000' 'r (nm)' g 'bins with a count below 25 do not set the scale'; do
    expect "the text $text" grep -qF ">$text<" "$TMP/plot/rdf.svg"
done
"$ENGINE" run configs/rdf-ideal.ini --quiet --set run.output="$TMP/n" --set output.formats=svg --set output.fields='r n'
expect 'n is drawn where nothing else is' grep -q '>n<' "$TMP/n/rdf.svg"

for config in configs/rdf-*.ini configs/bench/rdf.ini; do
    expect_status 0 "$ENGINE" check "$config"
done
small=(--set particles.count=1500 --steps 2)
expect_status 0 "$ENGINE" verify configs/rdf-44028.ini "${small[@]}"
expect_stdout_has 'cpu            bit-equal after 1, 2 steps'
expect_status 0 "$ENGINE" verify configs/rdf-ideal.ini "${small[@]}"
expect_stdout_has 'cpu            bit-equal after 1, 2 steps'
plan
