#!/bin/bash
# The section [frames]: molecules become particles, boxes are repeated, and the number of particles varies. MDAnalysis
# computed the centres of mass of rdf-mixture.gro and counted their distances (molecules.py). Other expected counts come
# from plain loops in perl.
. "$(dirname "$0")/../lib.sh"
. "$ROOT/tests/npy.sh"
plugins=$ROOT/tests/plugins here=$ROOT/tests/particles
cd "$TMP" || exit 1

cat >rdf.ini <<INI
[run]
plugin = rdf
[init]
file = $plugins/rdf-mixture.gro
length_unit = angstrom
[rdf]
bins = 20
r_max = 5
INI

# rdf NAME [OPTION]…: a run in the folder NAME, which has to succeed.
rdf() {
    local name=$1
    shift
    expect_status 0 "$ENGINE" run rdf.ini --quiet --force --set "run.output=$name" "$@"
}

# refused TEXT STATUS [SETTING…]
refused() {
    local text=$1 wanted=$2 setting settings=()
    for setting in "${@:3}"; do settings+=(--set "$setting"); done
    expect_status "$wanted" "$ENGINE" run rdf.ini --quiet --force --set run.output=no "${settings[@]}"
    expect_stderr_has "$text"
}

counts() {
    numbers "$(ls "$1"/counts-*.npy)" Q
}

# ---- Molecules ------------------------------------------------------------------------------------------------------

masses='*W* 16, C 12, H* 1.008, NA 23, CL 35.5'
perl -ne 'next if $. < 3 || $. > 74; my ($r) = /^(.{10})/;
    printf "%s[ r ]\n", $. > 3 ? "\n" : "" if $r ne $before; $before = $r; printf "%d ", $. - 2' \
    "$plugins/rdf-mixture.gro" >residues.ndx
while read -r kind a b rest; do
    for way in "$plugins/rdf-mixture.gro" residues.ndx; do
        [ "$kind" = mass ] && [ "$way" = residues.ndx ] && continue
        [ "$kind" = mass ] && set -- --set "frames.masses=$masses" || set --
        rdf centres --set frames.molecules="$way" --set frames.centre="$kind" --set rdf.between="$a $b" "$@"
        expect_equal "$kind $a $b, ${way##*/}" "$(counts centres)" "$rest"
    done
done <"$here/molecules.txt"

# Molecules that the box cuts: every second atom is an edge along x away, and every third one an edge along c.
perl -ne 'push @line, $_; END { my @box = split " ", $line[-1];
    for (@line[2 .. 73]) {
        my $i = $n++;
        my @r = (substr($_, 20, 8), substr($_, 28, 8), substr($_, 36, 8));
        $r[0] += $box[0] if $i % 2;
        $r[0] -= $box[7], $r[1] -= $box[8], $r[2] -= $box[2] if $i % 3 == 1;
        substr($_, 20, 24) = sprintf "%8.3f" x 3, @r;
    }
    print @line }' "$plugins/rdf-mixture.gro" >cut.gro
rdf cut --set init.file=cut.gro --set frames.molecules=cut.gro --set frames.masses="$masses" --set 'rdf.between=OW C'
expect_equal 'molecules that the box cuts' "$(counts cut)" "$(grep '^mass OW C' "$here/molecules.txt" | cut -d ' ' -f 4-)"

# Water of one kind: blocks of three are its residues, and the masses of a block may be in order.
rdf named --set rdf.r_max=3 --set init.file="$plugins/rdf-water.gro" --set frames.molecules="$plugins/rdf-water.gro" \
    --set 'frames.masses=OW 16, H* 1'
rdf ordered --set rdf.r_max=3 --set init.file="$plugins/rdf-water.gro" --set frames.molecule_size=3 --set 'frames.masses=16 1 1'
expect_equal 'blocks with masses in order' "$(counts ordered)" "$(counts named)"
rdf alone --set frames.molecule_size=1 --set frames.centre=geometry
rdf plain
expect_equal 'molecules of one particle' "$(counts alone)" "$(counts plain)"
# The configuration of a run has the whole path.
expect_equal 'the path of the file' "$(grep '^molecules' named/config.ini)" "molecules = $plugins/rdf-water.gro"

refused 'has no masses; give [frames] masses = OW 15.999' 2 frames.molecules="$plugins/rdf-mixture.gro"
refused "no mass for 'NA', the particle" 2 frames.molecules="$plugins/rdf-mixture.gro" 'frames.masses=*W* 16, C* 12, H* 1'
refused "no particle of $plugins/rdf-mixture.gro is called 'Q'" 2 frames.molecules="$plugins/rdf-mixture.gro" 'frames.masses=Q 1'
refused 'expected a name and a number above 0 between commas' 2 frames.molecules="$plugins/rdf-mixture.gro" 'frames.masses=OW 0'
refused 'expected as many numbers as molecule_size says' 2 frames.molecule_size=2 'frames.masses=1'
refused 'centre = geometry uses no masses' 2 frames.molecule_size=2 frames.masses='1 1' frames.centre=geometry
refused 'molecule_size: cannot be used with molecules' 2 frames.molecule_size=2 frames.molecules=a.gro
refused 'which is no multiple of [frames] molecule_size = 5' 3 frames.molecule_size=5 frames.centre=geometry
refused "has 24 particles, expected 72, as in the frames" 3 frames.molecules="$plugins/rdf-water.gro" frames.centre=geometry
printf '[ a ]\n1 73\n' >far.ndx
refused "far.ndx:2: '73' is no number of a particle from 1 to 72" 3 frames.molecules=far.ndx frames.centre=geometry
printf '1 2\n' >bare.ndx
refused "bare.ndx:1: expected a group, as in '[ name ]'" 3 frames.molecules=bare.ndx frames.centre=geometry
printf '[ a ]\n' >none.ndx
refused 'no particle is in a molecule' 3 frames.molecules=none.ndx frames.centre=geometry
printf '2\n\nX 0 0 0\nX 1 0 0\n' >two.xyz
refused 'has no numbers of residues or molecules' 3 init.file=two.xyz frames.molecules=two.xyz frames.centre=geometry

# ---- Copies of the box, and frames of different numbers of particles -------------------------------------------------

# Three frames of a dump with 9, 12 and 7 atoms of two types in a box of 4, 5 and 6, and what loops over all images
# count in bins of 0.1: all pairs below 2, of the whole frames and of types 1 and 2, and pairs with several images and with
# a particle's own images below 3.9, in eight copies of the last frame. Atoms of type 1 within 1.5 of one of type 2.
perl -e '
    my @wrote = ([9, 5], [12, 6], [7, 5]);
    my $word = 12345;
    sub draw { $word = ($word * 1103515245 + 12345) % 2147483648; return $word / 2147483648 }
    my @edge = (4, 5, 6);
    my (@all, @ab, @many, @near);
    open my $dump, ">", "varies.lammpstrj"; open my $last, ">", "last.lammpstrj"; open my $even, ">", "even.lammpstrj";
    for my $f (0 .. $#wrote) {
        my ($n, $second) = @{$wrote[$f]};
        my @r = map { [map { sprintf "%.3f", draw() * $_ } @edge] } 1 .. $n;
        my $text = "ITEM: TIMESTEP\n$f\nITEM: NUMBER OF ATOMS\n$n\nITEM: BOX BOUNDS pp pp pp\n0 4\n0 5\n0 6\n" .
            "ITEM: ATOMS id type x y z\n" . join "", map { $_ + 1 . " " . ($_ < $second ? 1 : 2) . " @{$r[$_]}\n" } 0 .. $n - 1;
        print $dump $text;
        print $last $text if $f == 2;
        my (%is_near, @d);
        for my $i (0 .. $n - 1) { for my $j (0 .. $n - 1) {
            my $least = 99;
            for my $x (-1 .. 1) { for my $y (-1 .. 1) { for my $z (-1 .. 1) {
                my @s = ($x, $y, $z);
                my $d = 0;
                $d += ($r[$i][$_] - $r[$j][$_] + $s[$_] * $edge[$_]) ** 2 for 0 .. 2;
                $d = sqrt $d;
                $least = $d if $d < $least;
                $many[int($d / .1)] += 4 if $f == 2 && $d < 3.9 && $d > 0;
            } } }
            $d[$i][$j] = $least;
            next if $j <= $i || $least >= 2;
            $all[int($least / .1)]++;
            $ab[int($least / .1)]++ if $i < $second && $j >= $second;
        } }
        for my $i (0 .. $second - 1) {
            next unless grep { $d[$i][$_] <= 1.5 } $second .. $n - 1;
            $d[$i][$_] < 2 and $near[int($d[$i][$_] / .1)]++ for $second .. $n - 1;
        }
    }
    print join(" ", map { $_ // 0 } @$_), "\n" for [@all[0 .. 19]], [@ab[0 .. 19]], [@many[0 .. 38]], [@near[0 .. 19]];
' >loops.txt
{ read -r all; read -r ab; read -r many; read -r near; } <loops.txt
dump=(--set init.file=varies.lammpstrj --set init.length_unit=file --set rdf.r_max=2)
for implementation in cpu cpu-serial; do
    on=(--set "run.implementation=$implementation")
    rdf varies "${dump[@]}" "${on[@]}" --set frames.most=12
    expect_equal "$implementation: frames of 9, 12 and 7 particles" "$(counts varies)" "$all"
    expect_equal "$implementation: their pairs" "$(numbers varies/ideal-0000000003.npy d)" "$(perl -e 'printf "%.9g", (36 + 66 + 21) / 120')"
    expect_equal "$implementation: half of the particles" "$(numbers varies/centres-0000000003.npy d)" 14
    rdf types "${dump[@]}" "${on[@]}" --set frames.most=20 --set 'rdf.between=0 1'
    expect_equal "$implementation: species of such frames" "$(counts types)" "$ab"
    rdf near "${dump[@]}" "${on[@]}" --set frames.most=12 --set 'rdf.between=0 1' --set 'rdf.within=1.5 1'
    expect_equal "$implementation: particles near to a group" "$(counts near)" "$near"
    rdf copies "${dump[@]}" "${on[@]}" --set init.file=last.lammpstrj --set 'frames.repeat=2 2 2' --set rdf.r_max=3.9 \
        --set rdf.bins=39 --set rdf.finite_size=no --set particles.box= 2>/dev/null
    expect_equal "$implementation: several images" "$(counts copies)" "$many"
done
most=(init.file=varies.lammpstrj init.length_unit=file rdf.r_max=2)
refused 'frame 1 has 12 particles and the first frame has 9' 3 "${most[@]}"
refused 'frame 1 of those that are read has 12 particles, but [frames] most = 11' 3 "${most[@]}" frames.most=11
refused 'q_bins: particle 9 is absent' 2 "${most[@]}" frames.most=12 rdf.q_bins=4
refused '[frames] most: pairs needs the same number of particles in all frames' 2 run.plugin=pairs init.file=last.lammpstrj \
    frames.most=12
refused 'the frame is open along x' 3 init.file=two.xyz 'frames.repeat=2 2 2'
refused 'repeat takes the box of the file' 2 "${most[@]}" init.file=last.lammpstrj 'frames.repeat=2 2 2' 'particles.box=4 5 6'
refused "'2 2' is not three whole numbers from 1 to 1000" 2 'frames.repeat=2 2'
refused "'0 1 1' is not three whole numbers" 2 'frames.repeat=0 1 1'
refused "within: '5' is not a distance above 0 and a group" 2 'rdf.between=OW OW' rdf.within=5
refused 'within: between is all' 2 'rdf.within=3 OW'
refused "within: 6.9 is more than half of the smallest edge" 2 'rdf.between=OW OW' 'rdf.within=6.9 OW'
refused "no species is called 'XX'" 2 'rdf.between=OW OW' 'rdf.within=3 XX'
# A state starts from copies: a melt of pairs.
expect_status 0 "$ENGINE" check rdf.ini --set run.plugin=pairs --set init.file=last.lammpstrj --set init.length_unit=file \
    --set pairs.species=2 --set 'frames.repeat=3 2 2'
expect_stdout_has 'position: 84 float64'
expect_stdout_has 'frames          3 x 2 x 2 copies of the box'
expect_status 0 "$ENGINE" check rdf.ini "${dump[@]}" --set frames.most=12
expect_stdout_has 'frames          at most 12 particles in a frame'
expect_status 0 "$ENGINE" check rdf.ini --set frames.molecules="$plugins/rdf-mixture.gro" --set frames.centre=geometry
expect_stdout_has "each molecule of $plugins/rdf-mixture.gro becomes one particle, at the mean of its positions"
expect_status 0 "$ENGINE" check rdf.ini --set frames.molecule_size=3 --set 'frames.masses=16 1 1' --set frames.repeat='2 1 1'
expect_stdout_has 'each group of 3 particles becomes one particle, at its centre of mass
                2 x 1 x 1 copies of the box'
plan
