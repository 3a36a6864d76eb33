#!/bin/bash
# Formats of trajectories and structures: Amber NetCDF, G96 and data files of LAMMPS. The files of tests/formats are made by MDAnalysis and netCDF4
# (make_trajectories.py), and by gmx trjconv and gmx editconf of GROMACS 2022.5 from mdtraj.trr and mdanalysis.gro. The
# expected numbers are what these packages read from them, and what mdtraj reads from mdtraj.trr. LAMMPS of 29 Sep 2021
# wrote lammps.data, lammps-charge.data, and a dump of the same state, lammps-data.lammpstrj.
. "$(dirname "$0")/common"
cd "$TMP" || exit 1
files=$ROOT/tests/formats

# same_numbers NAME XYZ TEXT: the rows of the text are those of the frames of an xyz file, each number within 10^-6.
same_numbers() {
    expect "$1" perl -e '
        my ($xyz, $text) = map { open my $file, "<", $_ or die; [<$file>] } @ARGV;
        my @rows = map { [split] } grep { /^[-0-9]/ } @$text;
        my @found = map { [(split)[1 .. 9]] } grep { / \S/ && !/=/ } @$xyz;
        die @found . " rows, and not " . @rows . "\n" unless @found == @rows && @rows > 0;
        for my $i (0 .. $#rows) {
            abs($found[$i][$_] - $rows[$i][$_]) <= 1e-6 * (1 + abs $rows[$i][$_])
                or die "row $i: $found[$i][$_], and not $rows[$i][$_]\n" for 0 .. $#{$rows[$i]};
        }' "$2" "$3"
}
convert() { expect_status 0 "$ENGINE" convert "$@" --force; }

# ---- Amber ----------------------------------------------------------------------------------------------------------

for name in mdanalysis cdf1 cdf5; do
    convert "$files/$name.nc" $name.xyz --quiet
    same_numbers "$name.nc as its package reads it" $name.xyz "$files/$name-nc.txt"
    expect_equal "$name.nc: times" "$(grep -o ' time=.*' $name.xyz | xargs)" 'time=0 time=0.5 time=1'
    # What the engine writes has the same numbers.
    convert "$files/$name.nc" again.nc --quiet
    convert again.nc again.xyz --quiet
    expect_same again.xyz $name.xyz
done
# The box of 22, 21, 22 and the angles 80, 75 and 60 degrees: b cos(60), b sin(60), c cos(75), and so on.
expect_equal 'the cell of the last frame' \
    "$(tail -n 6 mdanalysis.xyz | grep -o 'Lattice="[^"]*"' | tr -d '"' | cut -d = -f 2 | perl -ane 'printf "%.5f " x 6, @F[0, 3, 4, 6, 7, 8]')" \
    '22.00000 10.50000 18.18653 5.69402 1.12381 21.22063 '
convert "$files/cdf5.nc" cdf5.xyz
expect_stderr_has 'the variables remd_dimtype'
for kind in 1 5; do
    perl -0777 -pe 's/velocities/velocitiez/' "$files/cdf$kind.nc" >other.nc
    convert other.nc other.xyz
    expect_stderr_has 'the variables remd_dimtype, velocitiez'
done
perl -0777 -pe 's/coordinates/coordinatez/' "$files/cdf1.nc" >other.nc
refused 'NetCDF of another kind' 3 'other.nc: has no variable coordinates (frame, atom, spatial)' "$ENGINE" convert other.nc none.xyz
head -c 1500 "$files/mdanalysis.nc" >cut.nc
refused 'a file that is cut' 3 'the file ends within frame 2, counted from 0; to use the frames before frame 2' \
    "$ENGINE" convert cut.nc none.xyz
convert cut.nc cut.xyz --frames 0:2
same_numbers 'its complete frames' cut.xyz <(sed '/^frame 2/,$d' "$files/mdanalysis-nc.txt")
perl -0777 -pe 'substr($_, 4, 4) = "\xff\xff\xff\xff"' "$files/mdanalysis.nc" >unknown.nc
convert unknown.nc unknown.xyz --quiet
same_numbers 'a writer that did not know the number of frames' unknown.xyz "$files/mdanalysis-nc.txt"

# A run adds frames to its file, also after it was resumed.
cat >springs.ini <<'INI'
[run]
plugin = nbody
steps = 4
[particles]
count = 5
[init]
source = plummer
[output]
every = 1
formats = nc
fields = position
[checkpoint]
every = 2
INI
expect_status 0 "$ENGINE" run springs.ini --quiet --set run.output=whole
convert whole/position.nc whole.xyz --quiet
expect_equal 'a run writes a trajectory' "$(grep -c time= whole.xyz)" 5
expect_status 0 "$ENGINE" run springs.ini --quiet --set run.output=parts --set run.steps=2
expect_status 0 "$ENGINE" resume parts --quiet --set run.steps=4
expect_same parts/position.nc whole/position.nc
# The head as the specification of NetCDF has it, in words: CDF-2, five records, and the list of six dimensions.
expect_equal 'the head' "$(head -c 16 whole/position.nc | od -An -tx1 | xargs)" '43 44 46 02 00 00 00 05 00 00 00 0a 00 00 00 06'

# ---- G96 ------------------------------------------------------------------------------------------------------------

convert "$files/gromacs.g96" gromacs.xyz --quiet
same_numbers 'gromacs.g96 has the positions and velocities of mdtraj.trr' gromacs.xyz \
    <(perl -ane 'print "@F[0 .. 5]\n" if /^[-0-9]/' "$files/mdtraj-trr.txt")
expect_equal 'gromacs.g96: cells, steps and times' "$(grep -o 'Lattice="[^"]*"\|step=.*' gromacs.xyz | xargs)" \
    "$(for k in 0 1 2; do echo "Lattice=2 0 0 0.5 3 0 0.25 0.75 4 step=${k}0 time=$(perl -e "print $k / 2")"; done | sed 's/step=00/step=0/' | xargs)"
cp "$files/gromacs.g96" unnamed && convert unnamed unnamed.xyz --quiet
expect_same unnamed.xyz gromacs.xyz
convert "$files/gromacs-names.g96" names.xyz --quiet
convert "$files/mdanalysis.gro" gro.xyz --quiet
same_numbers 'gromacs-names.g96 has the positions and velocities of mdanalysis.gro' <(perl -ane 'print "X @F[1 .. 3, 5 .. 7]\n" if @F > 3 && !/=/' names.xyz) \
    <(perl -ane 'print "@F[1 .. 3, 5 .. 7]\n" if @F > 3 && !/=/' gro.xyz)
expect_equal 'its names and residues' "$(perl -ane 'print "@F[0, 4] " if @F > 3 && !/=/' names.xyz)" \
    "$(perl -ane 'print "@F[0, 4] " if @F > 3 && !/=/' gro.xyz)"
for name in gromacs gromacs-names; do # what the engine writes has the same numbers, and the same blocks
    convert "$files/$name.g96" again.g96 --quiet
    convert again.g96 again.xyz --quiet
    convert "$files/$name.g96" $name.xyz --quiet
    expect_equal "$name.g96 is written and read" "$(sed 's/ step=.*//' again.xyz)" "$(sed 's/ step=.*//' $name.xyz)"
    expect_equal "the blocks of $name.g96" "$(grep '^[A-Z]' again.g96 | grep -v 'TITLE\|TIMESTEP\|END' | xargs)" \
        "$(grep '^[A-Z]' "$files/$name.g96" | grep -av 'TITLE\|TIMESTEP\|END\|Written' | xargs)"
done
{ echo '# a comment' && sed '3a# another' "$files/gromacs-names.g96"; } >comments.g96
convert comments.g96 comments.xyz --quiet
expect_same comments.xyz names.xyz
head -n 40 "$files/gromacs.g96" >cut.g96
refused 'a block that is cut' 3 'cut.g96:40: the file ends within a block; to use the frames before frame 1' \
    "$ENGINE" convert cut.g96 none.xyz
convert cut.g96 cut.xyz --frames 0:1
expect_equal 'its complete frame' "$(grep -c '^X' cut.xyz)" 5
sed '32,35d' "$files/gromacs.g96" >fewer.g96
refused 'a frame of another number of atoms' 3 'atoms; expected 5 as the positions of the first frame' "$ENGINE" convert fewer.g96 none.xyz
sed 's/^VELOCITYRED/OTHER/' "$files/gromacs.g96" >other.g96
convert other.g96 other.xyz --quiet
expect_not 'other blocks are skipped' grep -q velo other.xyz
sed '0,/^VELOCITYRED/s//OTHER/' "$files/gromacs.g96" >some.g96
convert some.g96 some.xyz
expect_stderr_has 'the velocities, which some frames lack'

# ---- Data files of LAMMPS -------------------------------------------------------------------------------------------

# columns_of DUMP NAME…: the box and the columns with these names.
columns_of() {
    perl -e '
        open my $file, "<", shift or die; my %at;
        while (<$file>) {
            my @words = split;
            if (/^ITEM: ATOMS/) { @at{@words[2 .. $#words]} = 0 .. $#words - 2 }
            elsif (!/^ITEM/ && (%at || @words == 3)) {
                printf "%s\n", join " ", map { $_ eq "nan" ? $_ : sprintf "%.9g", $_ } %at ? @words[@at{@ARGV}] : @words }
        }' "$@"
}
convert "$files/lammps.data" lammps.lammpstrj
expect_stderr_has 'the file does not say which axes are periodic; the engine takes all for periodic'
expect_stderr_has 'the images'
expected=$(columns_of "$files/lammps-data.lammpstrj" id type mol q x y z vx vy vz)
expect_equal 'lammps.data has the state of the dump' "$(columns_of lammps.lammpstrj id type residue q x y z vx vy vz)" "$expected"
expect_equal 'masses of the types' "$(columns_of lammps.lammpstrj mass | tail -n 7 | xargs)" '15.9994 15.9994 15.9994 15.9994 1.008 1.008 1.008'
expected=$(columns_of "$files/lammps-data.lammpstrj" id type q x y z vx vy vz)
convert "$files/lammps-charge.data" charge.lammpstrj --quiet
expect_equal 'the style charge' "$(columns_of charge.lammpstrj id type q x y z vx vy vz)" "$expected"
# Variants of the same file: no style, another order of atoms, labels for types, no images, a cell that is turned.
change() { perl -0777 -pe "$1" "$files/${3:-lammps}.data" >"$2.data"; }
change 's/ # full//; s/^((\d+ ){3}\S+ [^\n]*\n)((?:\d[^\n]*\n){6})/$3$1/m; s/^(\d( \S+){6}) 0 0 0$/$1/mg' variant
expect_equal 'the variant differs' "$(grep -A 2 '^Atoms$' variant.data | tail -n 1 | cut -c 1-10)" '2 1 1 -0.8'
convert variant.data variant.lammpstrj
expect_stderr_hasnt 'the images'
expect_equal 'a file without a style, in another order, without images' "$(columns_of variant.lammpstrj id type q x y z vx vy vz)" "$expected"
change 's/Masses/Atom Type Labels\n\n1 O\n2 H\n\nMasses/; s/^1 15/O 15/m; s/^(\d \d) 1 -0.8/$1 O -0.8/mg; s/^(\d \d) 2 0.4/$1 H 0.4/mg' labels
convert labels.data labels.xyz --quiet
expect_equal 'labels of types' "$(grep -c '^O [0-9]' labels.xyz) $(grep -c '^H [0-9].* 1.008' labels.xyz)" '4 3'
change 's/^1 15.9994/$& # OW/m; s/^2 1.008/$& # HW/m' comments
convert comments.data comments.xyz --quiet
expect_equal 'names of types behind their masses' "$(cut -d ' ' -f 1 comments.xyz | sed 1,2d | sort | uniq -c | xargs)" '3 HW 4 OW'
change 's/-1 9 xlo.*yz\n/0 3 0 avec\n0 0 4 bvec\n5 0 0 cvec\n0 0 0 abc origin\n/s' turned
convert turned.data turned.xyz
expect_stderr_has 'so the engine rotates the cell'
expect_equal 'a general triclinic box' "$(grep -o 'Lattice="[^"]*"' turned.xyz) $(perl -ane 'printf "%.5g %.5g %.5g", @F[2 .. 4] if $. == 3' turned.xyz)" \
    'Lattice="3 0 0 0 4 0 0 0 5" 4.8333 8.069 2.5309'
printf '%s\n' 'bad' '2 atoms' '0 5 xlo xhi' 'Atoms' '' '1 1 0.5 1 2 3' '2 1 -0.5 4 5 6' >few.data
refused 'a file of an unknown style' 3 "few.data:6: atoms of 6 words may have several styles; name theirs" "$ENGINE" convert few.data none.xyz
bad() { change "$2" bad; refused "$1" 3 "$3" "$ENGINE" convert bad.data none.xyz; }
bad 'another style' 's/# full/# tri/' "bad.data:18: the style of atoms 'tri' is not known"
bad 'too few words' 's/(Atoms # full\n\n1 1 1 -0.8)[^\n]*/$1 2 3/' 'bad.data:18: the line has 6 words; expected 7 or 10 in the style full'
bad 'fewer atoms than the head has' 's/7 atoms/8 atoms/' 'the section Atoms has fewer atoms than the 8 of the head'
bad 'more atoms' 's/7 atoms/6 atoms/' 'the section Atoms has more atoms than the 6 of the head'
bad 'two atoms of one id' 's/^2 1 1/1 1 1/m' 'two atoms have the id 1'
bad 'a velocity of no atom' 's/^7 0.0007/9 0.0007/m' "is not the id of an atom and its velocity"
bad 'a position that is no number' 's/2.5308/x2.5308/' "'x2.530857890858714' is not a finite number"
bad 'a bound that is no bound' 's/-1 9 xlo/9 -1 xlo/' "bad.data:6: '9 -1' are not two bounds of the box"
plan
