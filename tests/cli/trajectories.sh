#!/bin/bash
# Formats of trajectories and structures: Amber NetCDF and G96. The files of tests/formats are made by MDAnalysis and netCDF4
# (make_trajectories.py), and by gmx trjconv and gmx editconf of GROMACS 2022.5 from mdtraj.trr and mdanalysis.gro. The
# expected numbers are what these packages read from them, and what mdtraj reads from mdtraj.trr.
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
plan
