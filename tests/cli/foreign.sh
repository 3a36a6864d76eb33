#!/bin/bash
# Files of particles as other programs write them: GSD of HOOMD-blue, PDB with all its records and its numbers beyond four
# digits, cells of any orientation, frames that are incomplete, or lack steps, velocities or a box. The expected numbers
# are those that the test writes into its files, or those of the package that read the file of tests/formats.
. "$(dirname "$0")/common"
cd "$TMP" || exit 1
files=$ROOT/tests/formats
convert() { expect_status 0 "$ENGINE" convert "$@" --force; }
positions() { awk 'NF == 1 { left = $1 + 1; next } left-- > 0 && $1 !~ /=/ { print $2, $3, $4 }' "$1" | xargs; }
lattices() { grep -o 'Lattice="[^"]*"' "$1" | tr -d '"' | sed 's/Lattice=//'; }

"$ENGINE" convert "$files/mdtraj.trr" t.trr --quiet
"$ENGINE" convert "$files/mdtraj.trr" t.xyz --quiet
cat >rdf.ini <<'INI'
[run]
plugin = rdf
[rdf]
bins = 4
r_max = 0.2
INI

# ---- GSD ------------------------------------------------------------------------------------------------------------

# HOOMD-blue writes the names of types as uint8, and the package gsd as int8. Other writers use other whole numbers, or one
# row of six numbers for a box.
perl -e '
    local $/; open my $file, "<:raw", shift or die; my $bytes = <$file>;
    my ($index, $entries, $names, $places) = unpack "x8 Q<Q<Q<Q<", $bytes;
    my @name = split /\0/, substr $bytes, $names, 64 * $places;
    for (my $at = $index; $at < $index + 32 * $entries; $at += 32) {
        my ($frame, $rows, $place, $columns, $number, $type) = unpack "Q<Q<q<L<S<C", substr $bytes, $at, 31;
        last unless $place;
        my $name = $name[$number];
        $type = 1 if $name eq "particles/types";
        $type = 7 if $name eq "particles/typeid" || $name eq "particles/N";
        $type = 8 if $name eq "configuration/step";
        ($rows, $columns) = (1, 6) if $name eq "configuration/box" && $frame % 2;
        substr $bytes, $at, 31, pack "Q<Q<q<L<S<C", $frame, $rows, $place, $columns, $number, $type;
    }
    print $bytes' "$files/hoomd.gsd" >types.gsd
convert "$files/hoomd.gsd" gsd.xyz --quiet
convert types.gsd types.xyz --quiet
expect 'the types differ' perl -e 'exit(-s "types.gsd" == 0 || system("cmp -s types.gsd $ARGV[0]") == 0)' "$files/hoomd.gsd"
expect_same types.xyz gsd.xyz
# A blank would end a name in a file of text: xyz rows would have a column more than others, and gro and pdb were refused.
perl -0pe 's/HW1/H 1/' "$files/hoomd.gsd" >blank.gsd
for format in xyz lammpstrj gro pdb; do
    convert blank.gsd blank.$format
    expect_stderr_has "blank.gsd: blanks in the names of species are read as '_'"
    convert blank.$format blank-$format.xyz --quiet
    expect_equal "a name with a blank: $format" "$(grep -c '^H_1 ' blank-$format.xyz) $(grep -c '^H 1 ' blank-$format.xyz)" \
        "$(grep -c '^HW1 ' gsd.xyz) 0"
done

# ---- PDB ------------------------------------------------------------------------------------------------------------

atom() { # atom NAME RESIDUE X
    printf 'ATOM      1 %-4s HOH A%-5s   %8.3f   0.000   0.000  1.00  0.00           O\n' "$1" "$2" "$3"
}
{ atom O '   1' 1 && atom H1 '   1' 2; } >atoms.pdb
for first in HEADER OBSLTE TITLE SPLIT CAVEAT COMPND SOURCE KEYWDS EXPDTA NUMMDL MDLTYP AUTHOR REVDAT SPRSDE JRNL REMARK \
    DBREF DBREF1 SEQADV SEQRES MODRES HET HETNAM HETSYN FORMUL HELIX SHEET TURN SSBOND LINK CISPEP SITE ORIGX1 SCALE3 \
    MTRIX2 MODEL TER END PARENT 'USER  MOD' 'PFRMAT TS' 'EXPDTA    THEORETICAL MODEL, MODELLER 9v5'; do
    for name in first.pdb first; do
        { echo "$first" && cat atoms.pdb && echo END; } >"$name"
        convert "$name" first.xyz
        [ "$(positions first.xyz)" = '1 0 0 2 0 0' ] || not_ok "$name that begins with $first" "$(cat first.xyz)"
    done
done
for before in '\n\n' '\r\n' '# made by a program\n# of ours\n' '1\n'; do
    { printf "$before" && cat atoms.pdb; } >before.pdb
    convert before.pdb before.xyz
    expect_equal "a .pdb file with other lines first: $before" "$(positions before.xyz)" '1 0 0 2 0 0'
done
printf '1\nREMARK of XYZ\nC 1 2 3\n' >xyz.pdb
convert xyz.pdb xyz.xyz
expect_equal 'the content decides, and not the ending' "$(positions xyz.xyz)" '1 2 3'
{ printf '\n\n' && cat atoms.pdb; } >unnamed
convert unnamed unnamed.xyz
expect_equal 'empty lines in a file without an ending' "$(positions unnamed.xyz)" '1 0 0 2 0 0'

cell() { printf 'CRYST1   %2d.000   20.000   20.000  90.00  90.00  90.00 P 1           1\n' "$1"; }
model() { printf 'MODEL     %4d\n' "$1" && atom O '   1' "$1"; }
{ cell 20 && model 1 && model 2 && model 3; } >models.pdb
convert models.pdb models.xyz
expect_equal 'MODEL ends a frame that has atoms' "$(grep -c Properties models.xyz) $(positions models.xyz)" '3 1 0 0 2 0 0 3 0 0'
{ model 1 && echo ENDMDL && model 2; } >cut.pdb
refused 'a model without its end, where others have it' 3 'the file ends within model 1' "$ENGINE" convert cut.pdb none.xyz
{ model 1 && echo ENDMDL && cell 30 && model 2 && echo ENDMDL && cell 40 && echo END; } >behind.pdb
convert behind.pdb behind.xyz
expect_equal 'CRYST1 behind ENDMDL is that of its model' "$(lattices behind.xyz | cut -d ' ' -f 1 | xargs)" '30 40'
{ cell 30 && model 1 && echo ENDMDL && cell 40 && model 2 && echo ENDMDL; } >before.pdb
convert before.pdb before.xyz
expect_equal 'CRYST1 before MODEL is that of the next one' "$(lattices before.xyz | cut -d ' ' -f 1 | xargs)" '30 40'
{ sed 's/  90.00/   0.00/g' < <(cell 30) && atom O '   1' 1; } >angles.pdb
convert angles.pdb angles.xyz
expect_equal 'angles that are not given are right angles' "$(lattices angles.xyz)" '30 0 0 0 20 0 0 0 20'

# Numbers of residues. OpenMM continues with A000 in hexadecimal, hybrid-36 in base 36, and VMD in plain hexadecimal.
residues() { # the numbers of a file with one atom for each residue that is given
    for word in "$@"; do atom O "$word" 1; done >residues.pdb
    "$ENGINE" convert residues.pdb residues.xyz --force 2>&1 | grep -v 'do not hold'
    awk '$1 == "O" { print $5 }' residues.xyz | xargs
}
expect_equal 'residues of OpenMM' "$(residues 9999 A000 A00F A010 FFFF)" '9999 10000 10015 10016 34575'
expect_equal 'residues in hybrid-36' "$(residues 9999 A000 A00Z ZZZZ a000 zzzz)" '9999 10000 10035 1223055 1223056 2436111'
expect_equal 'residues of VMD' "$(residues 9999 2710 2711 271a ffff '****' '****')" '9999 10000 10001 10010 65535 65536 65537'
expect_equal 'and a second segment' "$(residues 9999 2710 '   1' '  10')" '9999 10000 1 10'
expect_equal 'residues of five digits' "$(residues 9999 10000 10001)" '9999 10000 10001'
expect_equal 'residues that count from 0 again' "$(residues 9999 '   0' '   1' '  -1' '')" '9999 0 1 -1 0'
atom O 12G4 1 >residues.pdb
refused 'no number of a residue' 3 "'12G4' in columns 23 to 26 is not the number of a residue" \
    "$ENGINE" convert residues.pdb none.xyz

# ---- Many names of atoms ----------------------------------------------------------------------------------------------

perl -e 'print "many\n300\n"; printf "%5d%-5s%5s%5d%8.3f%8.3f%8.3f\n", 1, "POL", "X$_", $_, $_ / 100, 0, 0 for 1 .. 300;
    print "   5.00000   5.00000   5.00000\n"' >many.gro
perl -e 'printf "ATOM  %5d %-4s POL A%4d    %8.3f%8.3f%8.3f\n", $_, "X$_", 1, $_ / 10, 0, 0 for 1 .. 300' >many.pdb
for file in many.gro many.pdb; do
    convert $file many.xyz
    expect_stderr_has 'atoms (there are more than 256)'
    expect_equal "$file: 300 names" "$(sed -n 2p many.xyz | grep -o 'Properties=\S*')" 'Properties=species:S:1:pos:R:3:residue:I:1'
    expect_equal 'the last atom' "$(tail -n 1 many.xyz | cut -d ' ' -f 2-5)" "$([ $file = many.gro ] && echo 3 0 0 1 || echo 30 0 0 1)"
    expect_status 0 "$ENGINE" run rdf.ini --quiet --set "run.output=run-$file" --set "init.file=$file"
done

# ---- Frames with and without velocities -----------------------------------------------------------------------------

perl -e '
    local $/; open my $file, "<:raw", shift or die; my $bytes = <$file>;
    my @frame = unpack "(a300)3", $bytes;
    my ($positions, $velocities, $forces) = map { unpack "N", substr $frame[0], 24 + 4 * $_, 4 } 7 .. 9;
    my $data = 300 - $positions - $velocities - $forces;
    my $part = sub { my ($frame, @has) = @_; # positions, velocities, forces
        my $new = substr $frame, 0, $data;
        substr $new, 24 + 4 * (7 + $_), 4, pack "N", $has[$_] ? $positions : 0 for 0 .. 2;
        $new .= substr $frame, $data + $_ * $positions, $positions for grep { $has[$_] } 0 .. 2;
        return $new };
    print $part->($frame[0], 0, 1, 0), $part->($frame[0], 1, 1, 0), $part->($frame[1], 1, 0, 0), $part->($frame[2], 0, 1, 0),
        $part->($frame[2], 1, 1, 1)' "$files/mdtraj.trr" >mixed.trr
convert mixed.trr mixed.xyz
expect_stderr_has 'the velocities, which some frames lack, the forces, which some frames lack, the frames without positions'
expect_equal 'the frames with positions' "$(grep -o 'Properties=\S*' mixed.xyz | uniq -c | xargs) $(positions mixed.xyz)" \
    "3 Properties=species:S:1:pos:R:3 $(positions t.xyz)"
expect_status 0 "$ENGINE" run rdf.ini --quiet --set run.output=run-mixed --set init.file=mixed.trr
expect_status 0 "$ENGINE" run rdf.ini --quiet --force --set run.plugin=nbody --set run.steps=0 --set run.output=run-last \
    --set init.file=mixed.trr --set output.formats=xyz
expect_equal 'a run that starts from the last frame has its velocities' \
    "$(grep -c '^X \S* \S* \S* \S*[1-9]\S* ' run-last/position-0000000000.xyz)" 5

# ---- GRO and XTC ----------------------------------------------------------------------------------------------------

printf '%s\n' 'some velocities' '    3' \
    '    1MOL      A    1   1.000   2.000   3.000' \
    '    1MOL      B    2   1.000   2.000   3.500  0.1000  0.2000  0.3000' \
    '    1MOL      C    3   1.000   2.000   4.000' '40000.0000040000.0000040000.00000' >some.gro
convert some.gro some.xyz
expect_equal 'a line without velocities has 0' "$(sed -n '3,$p' some.xyz | perl -ane 'printf "%g %g %g,", @F[5 .. 7]')" '0 0 0,0.1 0.2 0.3,0 0 0,'
expect_equal 'a box without blanks' "$(lattices some.xyz)" '40000 0 0 0 40000 0 0 0 40000'
sed 's/^40000.*/    4.00000    5.000006.00000/' some.gro >wrong.gro
convert wrong.gro wrong.xyz
expect_equal 'some blanks' "$(lattices wrong.xyz)" '4 0 0 0 5 0 0 0 6'
convert "$files/ends.xtc" ends.xyz
expect_equal 'the change behind the last atom of XTC may leave the table' \
    "$(sed -n '3,$p' ends.xyz | perl -ane 'printf "%.9g %.9g %.9g\n", @F[1 .. 3]')" "$(grep -v '^[fb]' "$files/ends.txt")"

# ---- Cells of any orientation ---------------------------------------------------------------------------------------

# ase.io.write('cu.xyz', ase.build.bulk('Cu')): the distances of atoms in this lattice are 1.805 times the square root of 2.
printf '1\nLattice="0.0 1.805 1.805 1.805 0.0 1.805 1.805 1.805 0.0" Properties=species:S:1:pos:R:3 pbc="T T T"\nCu 0 0 0\n' >cu.xyz
convert cu.xyz cu.dcd
expect_stderr_has 'so the engine rotates the cell'
convert cu.dcd cu2.xyz --quiet
expect_equal 'the primitive cell of copper' "$(lattices cu2.xyz | perl -ane 'printf "%.5f %.5f %.5f %.5f %.5f %.5f", @F[0, 3, 4, 6, 7, 8]')" \
    '2.55266 1.27633 2.21066 1.27633 0.73689 2.08423'
# The vectors (0, 3, 0), (0, 0, 4), (5, 0, 0) turn the axes y, z, x to x, y, z.
perl -e 'local $/; open my $file, "<:raw", shift or die; my $bytes = <$file>;
    substr $bytes, 16, 36, pack "f>9", 0, 3, 0, 0, 0, 4, 5, 0, 0; print $bytes' "$files/three.xtc" >turned.xtc
convert "$files/three.xtc" three.xyz --frames :1
convert turned.xtc turned.xyz --frames :1
expect_stderr_has 'so the engine rotates the cell'
expect_equal 'XTC: the box' "$(lattices turned.xyz)" '3 0 0 0 4 0 0 0 5'
expect_equal 'XTC: the positions' "$(positions turned.xyz)" "$(awk 'NF > 3 && !/=/ { print $3, $4, $2 }' three.xyz | xargs)"
printf '%s\n' 'turned' '    1' '    1MOL      A    1   1.000   2.000   3.000  0.1000  0.2000  0.3000' \
    '   0.00000   0.00000   0.00000   3.00000   0.00000   0.00000   4.00000   5.00000   0.00000' >turned.gro
convert turned.gro turned.xyz
expect_stderr_has 'so the engine rotates the cell'
expect_equal 'GRO: positions and velocities' "$(lattices turned.xyz) $(tail -n 1 turned.xyz | perl -ane 'printf "%g " x 6, @F[1 .. 3, 5 .. 7]')" \
    '3 0 0 0 4 0 0 0 5 2 3 1 0.2 0.3 0.1 '
expect_status 0 "$ENGINE" run rdf.ini --set run.output=run-turned --set init.file=turned.gro
expect_stderr_has 'turned.gro: the first vector of the cell is not along x'

# ---- Unwrapped coordinates ------------------------------------------------------------------------------------------

# The atoms are 1.304 and 0.3 in a box of 10, and the same in a tilted box. At 10^6, single precision has steps of 0.06.
unwrapped() { # unwrapped NAME LATTICE X Y Z: the distance of this atom and the one at 0.3 0.5 0.5, in bins of 0.01
    printf '2\nLattice="%s" Properties=species:S:1:pos:R:3\nA 0.3 0.5 0.5\nA %s %s %s\n' "$2" "$3" "$4" "$5" >"$1.xyz"
    "$ENGINE" run rdf.ini --quiet --set "run.output=run-$1" --set "init.file=$1.xyz" --set rdf.r_max=2 \
        --set rdf.bins=200 --set output.formats=csv >/dev/null
    awk -F, '$NF == 1 { printf "%.3f", $1 }' "run-$1/rdf.csv"
}
expect_equal 'a coordinate of 100000 edges is wrapped before it is rounded' \
    "$(unwrapped cube '10 0 0 0 10 0 0 0 10' 1000001.304 0.5 0.5)" 1.005
expect_equal 'in a tilted box' "$(unwrapped tilted '10 0 0 3 10 0 -2 1 10' -69998.696 110000.5 100000.5)" 1.005

# ---- Frames without steps -------------------------------------------------------------------------------------------

printf '1\n\nA %d 0 0\n' 1 2 3 4 >plain.xyz
steps_of() { grep -A1 TIMESTEP "$1" | grep -v '[-T]' | xargs; }
convert plain.xyz plain.lammpstrj
expect_equal 'frames get their numbers as steps' "$(steps_of plain.lammpstrj)" '0 1 2 3'
convert plain.xyz plain.lammpstrj --frames 1::2
expect_equal 'their numbers in the file that was read' "$(steps_of plain.lammpstrj)" '1 3'
convert plain.xyz plain.xtc --quiet
convert plain.xtc back.xyz --quiet
expect_equal 'steps and times of XTC' "$(grep -o 'step=.*' back.xyz | xargs)" 'step=0 time=0 step=1 time=1 step=2 time=2 step=3 time=3'
convert plain.xyz plain.npy
expect_stderr_hasnt 'the steps'

# ---- Incomplete files -----------------------------------------------------------------------------------------------

for to in lammpstrj dcd npy; do "$ENGINE" convert t.xyz t.$to --quiet; done
"$ENGINE" convert "$files/mdtraj.gro" t.gro --quiet
"$ENGINE" convert "$files/mdtraj.pdb" t.pdb --quiet
for file in t.trr t.dcd t.npy; do head -c -20 $file >cut.${file#t.}; done
for file in t.xyz t.lammpstrj t.gro t.pdb; do head -n -3 $file >cut.${file#t.}; done
head -c 700 "$files/water.xtc" >cut.xtc
head -c 6000 "$files/hoomd.gsd" >cut.gsd
for i in {1..400}; do cat t.xyz; done | gzip >long.gz
head -c $(($(stat -c %s long.gz) / 2)) long.gz >cut.gz
perl -pe 'BEGIN { undef $/ } substr($_, 8, 4) = pack "V", 500' t.dcd >more.dcd # its header states 500 frames
# Frame 2 of the three begins with another number.
perl -pe 'BEGIN { undef $/ } substr($_, 600, 4) = "oops" ' t.trr >damaged.trr
for entry in cut.trr:2 cut.dcd:2 cut.npy:2 cut.xyz:2 cut.lammpstrj:2 cut.gro:1 cut.pdb:1 cut.xtc:3 cut.gsd:3 more.dcd:3 \
    damaged.trr:2; do
    file=${entry%:*} whole=${entry#*:}
    refused "$file says how to use its complete frames" 3 \
        "; to use the frames before frame $whole, counted from 0, give --frames 0:$whole" "$ENGINE" convert $file none.xyz
    refused "$file with a range without an end" 3 "give --frames 0:$whole" "$ENGINE" convert $file none.xyz --frames 0:
    rm -f some.xyz
    convert $file some.xyz --frames 0:$whole
    expect_stderr_has "frame $whole, counted from 0, and all that follow are left out"
    expect_equal "$file: its complete frames" "$(grep -c Properties some.xyz)" "$whole"
    refused "$file in a run" 3 "set [init] frames = 0:$whole" "$ENGINE" run rdf.ini --set "run.output=out" \
        --set "init.file=$file"
    expect_status 0 "$ENGINE" run rdf.ini --set "run.output=run-$file" --set "init.file=$file" --set init.frames=0:$whole
    expect_stderr_has "frame $whole, counted from 0, and all that follow are left out"
    expect_equal 'all of them were read' "$(json "run-$file/summary.json" '{steps}')" "$whole"
done
refused 'a last frame that a plugin needs' 3 'the last frame is needed: convert the frames 0:2, which are complete' \
    "$ENGINE" check rdf.ini --set run.plugin=nbody --set init.file=cut.dcd
head -c -20 t.xyz >cut.xyz # the last line is incomplete
refused 'an incomplete line' 3 \
    'columns; expected 10; this is in frame 2, counted from 0: choose a range of frames that ends before it' \
    "$ENGINE" convert cut.xyz none.xyz
refused 'a compressed file' 3 'the gzip data is cut short; download or create the file again; to use the frames before' \
    "$ENGINE" convert cut.gz none.xyz
head -n 1 t.xyz >first.xyz
refused 'no frame is complete' 3 'first.xyz:1: the file ends; expected a comment' "$ENGINE" convert first.xyz none.xyz
expect_not 'so no range is proposed' grep -q frames stderr

# A head that states far more atoms than its bytes can hold.
expect_status 3 "$ENGINE" convert "$ROOT/tests/fuzz/regressions/xtc/many-atoms.xtc" too-many.xyz
expect_stderr_has 'a frame has 84215045 atoms in 0 bytes; expected at most 8 in a byte'
plan
