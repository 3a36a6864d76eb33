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

plan
