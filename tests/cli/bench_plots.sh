#!/bin/bash
# engine bench --plot: each bar, point and roof lies where the numbers of the same bench, and costs that are counted by
# hand, put it.
# shellcheck disable=SC2016 # perl has variables too
. "$(dirname "$0")/../lib.sh"

export OMP_WAIT_POLICY=passive # waiting threads that spin would take the cores of others
short=(--repeats 1 --steps 48 --set run.threads=1 --set grid.size='64 64')

# The drawing as perl values: %along and %up, the places of the numbers at the ticks; %at, the place of the point of each
# label; @roofs, the lines. along(N) and up(N) are the places of any number on these logarithmic axes.
read_drawing='
    use List::Util qw(all max); use JSON::PP; use Text::ParseWords;
    my ($svg, $csv, $json) = map { local (@ARGV, $/) = $_; <> } @ARGV;
    my (%along, %up, %at, %rate, @circle, @roofs, @bars);
    my %prefix = (" " => 1, k => 1e3, M => 1e6, G => 1e9, T => 1e12, P => 1e15);
    for (split /\n/, $svg) {
        $along{$3} = $1 if /<text x="([\d.]+)" y="([\d.]+)" text-anchor="middle" fill="#333333">([^<]+)</;
        $up{$2 * $prefix{$3}} = $1 - 4 if /<text x="[\d.]+" y="([\d.]+)" text-anchor="end" fill="#333333">([\d.]+) ?(.)</;
        @circle = ($1, $2, $3) if /<circle cx="([\d.]+)" cy="([\d.]+)" r="[\d.]+" fill="([^"]+)"/;
        $at{$1} = [@circle] if /text-anchor="start"[^>]*>(.+): [\d.]+ % of/;
        push @bars, [$2, $2 + $3, $1] if /<rect x="([\d.]+)" y="([\d.]+)" width="[\d.]+" height="([\d.]+)"/;
        push @roofs, [$1, $2, $3, $4] if /stroke="#555555" d="M([\d.]+) ([\d.]+)h0L([\d.]+) ([\d.]+)"/;
    }
    for (grep { !/^implementation,/ } split /\n/, $csv) { my @field = parse_line(",", 0, $_); $rate{$field[0]} = $field[9]; }
    my @limits = @{decode_json($json)->{limits}};
    my %limit = %{$limits[0]};
    my $linear = $svg !~ /, logarithmic<|operations a byte/;
    sub place { my ($number, %tick) = @_; my ($low, $high) = (sort { $a <=> $b } keys %tick)[0, -1];
        return $tick{$low} + ($tick{$high} - $tick{$low}) * ($number - $low) / ($high - $low) if $linear;
        $tick{$low} + ($tick{$high} - $tick{$low}) * log($number / $low) / log($high / $low) }
    sub along { place($_[0], %along) }
    sub up { place($_[0], %up) }
    sub near { abs($_[0] - $_[1]) < 0.03 }
    sub point { my ($name, $x, $y) = @_; $at{$name} && near($at{$name}[0], along($x)) && near($at{$name}[1], up($y)) }
    # A line from one pair of numbers to another.
    sub roof { my @ends = @_; grep { near($_->[0], along($ends[0])) && near($_->[1], up($ends[1])) &&
                                     near($_->[2], along($ends[2])) && near($_->[3], up($ends[3])) } @roofs }
    my ($left, $right) = (sort { $a <=> $b } keys %along)[0, -1];
'

# $1: name, $2: perl expression about the drawing, and the bench's CSV and JSON; $3: another drawing than roofline
drawn() {
    if perl -e "$read_drawing"'exit !do {'"$2"'};' "$TMP/${3:-roofline}.svg" "$TMP/bench.csv" "$TMP/bench.json"; then ok "$1"; else
        not_ok "$1" "$2" "$(grep -E 'circle|#555555|% of' "$TMP/roofline.svg")" "$(cat "$TMP/bench.csv")"
    fi
}

bench() {
    expect_status 0 "$ENGINE" bench "$@" --csv="$TMP/bench.csv" --json="$TMP/bench.json" --plot "$TMP/roofline.svg"
    expect 'the drawing is XML' python3 -c 'import sys, xml.dom.minidom as xml; xml.parse(sys.argv[1])' "$TMP/roofline.svg"
}

# life2d-bit:cpu takes 8 logic operations on a word of 32 cells, and reads and writes a bit of each cell in 48 steps.
# life2d-lut:cpu-serial takes a lookup for 4 cells, and reads and writes a bit of each cell in every step.
bench configs/gosper-gun.ini "${short[@]}" --impl cpu,life2d-lut:cpu-serial --plot "$TMP/rates.svg"
expect_equal 'nothing is left out' "$(cat "$TMP/stderr")" ''
drawn 'two points' 'keys %at == 2 && all { $_->[2] ne "none" } values %at'
drawn '8 / 32 operations, 2 / 8 / 48 bytes' 'point("cpu", 48, $rate{cpu} * 8 / 32)'
drawn '1 / 4 lookup, 2 / 8 byte' 'point("life2d-lut:cpu-serial", 1, $rate{"life2d-lut:cpu-serial"} / 4)'
drawn 'the slope is the limit copy; no limit ends it, because the rate of lookups is not known' \
    'roof($left, $left * $limit{copy}, $right, $right * $limit{copy})'
drawn 'logic operations have a flat roof that begins at the slope' \
    'roof($limit{logic} / $limit{copy}, $limit{logic}, $right, $limit{logic}) && @roofs == 2'
expect 'the title has the subject' grep -q '>life2d-bit, cells 64 x 64<' "$TMP/roofline.svg"
expect 'and the device' grep -q ">$("$ENGINE" bench configs/gosper-gun.ini "${short[@]}" --impl cpu | sed -n 's/^machine *//p')," "$TMP/roofline.svg"

# The other --plot draws a bar for each row, because nothing is swept: from the axis to the rate.
bars='@bars == 2 && near($bars[0][0], up($rate{cpu})) && near($bars[1][0], up($rate{"life2d-lut:cpu-serial"})) &&
    all { near($_->[1], max(values %up)) } @bars'
drawn 'a bar for each rate' "$bars" rates
expect 'the unit' grep -q '>cell updates a second' "$TMP/rates.svg"
drawn 'each bar has its share of a limit' '2 == (() = $svg =~ />[\d.]+ % of (copy|logic)</g)' rates
bench configs/gosper-gun.ini "${short[@]}" --impl cpu,life2d-bit:cpu --plot "$TMP/rates.svg"
drawn 'bars on the other kind of axis' '@bars == 2 && near($bars[0][0], up($rate{cpu})) &&
    near($bars[1][0], up($rate{"life2d-bit:cpu"})) && $svg !~ /<circle/' rates
expect_equal 'the whole command, in lines that fit' "$(sed -n 's/.*fill="#777777">\([^<]*\)<.*/\1/p' "$TMP/rates.svg" |
    sed -n '/^engine bench/,$p' | awk 'length > 120 { print "long" } { printf "%s ", $0 }' | cut -c-40)" \
    'engine bench configs/gosper-gun.ini --re'
expect 'no word is lost' grep -q "$TMP/roofline.svg<" "$TMP/rates.svg"

# Sizes that rise lie at logarithmic places: 128 x 128 is a quarter of the way from 64 x 64 to 1024 x 1024. A name stands
# where its curve ends; text is 4 pixels lower. The lowest name may lie up to 4 pixels higher, so that it stands above
# the axis. Other values lie at equal distances.
dots='my @dots = map { [/cx="([\d.]+)" cy="([\d.]+)"/] } grep { /<circle/ } split /\n/, $svg;
    my ($first, $second, $third) = map { $_->[0] } @dots;
    my %name = map { />([^<]+)</; my $name = $1; /y="([\d.]+)"/; ($name => $1 - 4) } grep { /text x="[5-9]\d\d[.][^>]*anchor="start"/ } split /\n/, $svg;'
bench configs/gosper-gun.ini "${short[@]}" --impl cpu,gpu,cpu-serial --sweep grid.size='64 64,128 128,1024 1024' \
    --set life2d-bit.settled=no --plot "$TMP/rates.svg"
drawn 'sizes at logarithmic places' "$dots"'@dots == 6 && abs(($second - $first) / ($third - $first) - 0.25) < 0.001' rates
drawn 'names beside the ends of curves that have one' "$dots"'join(" ", sort keys %name) eq "cpu cpu-serial" &&
    near($name{cpu}, $dots[2][1]) && abs($dots[5][1] - $name{"cpu-serial"} - 2) < 2.03' rates
expect 'the axis says so' grep -q '>grid.size, logarithmic<' "$TMP/rates.svg"
for values in '64 64,1024 1024,128 128' '64 64,65 65,1024 1024'; do
    bench configs/gosper-gun.ini "${short[@]}" --impl cpu --sweep grid.size="$values" --plot "$TMP/rates.svg"
    drawn "$values: equal distances" "$dots"'@dots == 3 && near($second - $first, $third - $second)' rates
done

# One kind of operation: the slope ends where the flat roof begins. Each number of threads has roofs of its own.
bench configs/gosper-gun.ini "${short[@]}" --impl cpu
drawn 'a roof with a corner' '@roofs == 2 && roof($limit{logic} / $limit{copy}, $limit{logic}, $right, $limit{logic}) &&
    roof($left, $left * $limit{copy}, $limit{logic} / $limit{copy}, $limit{logic})'
bench configs/gosper-gun.ini "${short[@]}" --impl cpu --sweep run.threads=1,2
drawn 'roofs of one thread, and of two' '@roofs == 4 && $svg =~ />copy [^<]*B\/s, 1 thread</ && $svg =~ />logic [^<]*\/s, 2 threads</'
drawn 'a point for each row' '$at{"cpu, run.threads=1"} && $at{"cpu, run.threads=2"}'

# Without operations, a row lies at the left edge. A byte is the unit of work of transpose.
bench configs/transpose.ini --repeats 1 --steps 4 --set run.threads=1 --impl cpu
drawn 'no operations: a ring at the left edge, as far below the slope as its rate of bytes is below the limit' \
    'point("cpu", $left, $left * $rate{cpu}) && $at{cpu}[2] eq "none" && @roofs == 1'

# Without bytes, it lies at the right edge. nbody:cpu takes 14 operations for an interaction.
bench configs/nbody-galaxies.ini --repeats 1 --steps 1 --set run.threads=1 --set particles.count=256 --impl cpu
drawn 'no bytes: a ring at the right edge' 'point("cpu", $right, $rate{cpu} * 14) && $at{cpu}[2] eq "none" &&
    roof($limit{fma} / $limit{copy}, $limit{fma}, $right, $limit{fma})'

# Costs that are counted by hand. A step of bytes reads and writes each once; the reference of life2d-bit has bits.
while read -r config impl number size; do
    bench "configs/$config" --repeats 1 --steps 1 --set run.threads=1 --set "$size" --impl "$impl"
    drawn "$impl: $number bytes for a cell" 'my ($rate) = values %rate; my ($at) = values %at; $at && $at->[2] eq "none" &&
        near($at->[0], along($left)) && near($at->[1], up($left * $rate * '"$number"'))'
done <<'END'
gosper-gun.ini cpu-serial 0.25 grid.size=64 64
life3d-clouds.ini life3d-naive:cpu-serial 2 grid.size=16 16 16
life3d-naive.ini cpu 2 grid.size=16 16 16
life3d-shared.ini cpu 2 grid.size=16 16 16
brians-brain.ini cpu-serial 2 grid.size=64 64
bugs.ini cpu-serial 2 grid.size=64 64
bugs.ini cpu 7 larger-than-life.rule=R1,C4,M0,S2..3,B3..3
wireworld.ini cpu-serial 2 run.threads=1
END

# The vector along each axis takes 3 operations, its square 3, the force 5: as multiply-adds, without root and division.
# Hermite's rule takes 3 for the velocity, 3 for its product with the vector, and 10 for the jerk, and computes forces
# twice. rdf takes 3, 3, and one along each axis of an orthorhombic box.
while read -r config impl number limit setting; do
    bench "configs/$config" --repeats 1 --steps 1 --set run.threads=1 --set particles.count=100 --set "$setting" --impl "$impl"
    drawn "$impl: $number operations" 'point("'"$impl"'", $right, $rate{"'"$impl"'"} * '"$number"') &&
        roof($limit{'"$limit"'} / $limit{copy}, $limit{'"$limit"'}, $right, $limit{'"$limit"'})'
done <<'END'
nbody-galaxies.ini cpu-serial 11 fma64 run.threads=1
nbody-galaxies.ini cpu-serial 54 fma64 nbody.integrator=hermite
rdf-ideal.ini cpu-serial 9 fma run.threads=1
rdf-ideal.ini cpu 9 fma rdf.cells=no
END

# 64 cells of cpu-words take 40 operations on words of 64 bits, which are 80 on words of 32.
bench configs/gosper-gun.ini "${short[@]}" --impl cpu-words
drawn 'cpu-words: 80 / 64 operations, 2 / 8 byte' 'point("cpu-words", 5, $rate{"cpu-words"} * 1.25)'

# Bit planes of larger-than-life, for 32 cells. A bit of a sum takes two operations, and three more if the cells of one
# number lie ahead. Two rows that enter and leave: 3 + 3, their difference 2. Radius 1: sums of 2 cells, 2 bits: 11; of 3
# cells, 3 bits: 16; the squares, 4 bits: 7; four limits and the next cells: 19; 61 in all. Radius 5: sums of 2, 4, and 8
# cells 11, 16, 21; of 3 and 11 cells 16, 26; the squares, 8 bits: 15; 35; 148 in all.
for rule in R1,C0,M0,S2..3,B3..3:61 R5,C0,M1,S34..58,B34..45:148; do
    bench configs/bugs.ini --repeats 1 --steps 1 --set run.threads=1 --impl cpu --set "larger-than-life.rule=${rule%:*}"
    drawn "larger-than-life: ${rule#*:} / 32 operations, 2 / 8 byte" "point('cpu', ${rule#*:} / 8, \$rate{cpu} * ${rule#*:} / 32)"
done

# Rows without a share are named once.
bench configs/gosper-gun.ini "${short[@]}" --impl cpu,hashlife,life2d-bit:hashlife --sweep grid.size='64 64,128 128'
expect_equal 'one line names what is left out' "$(cat "$TMP/stderr")" \
    "engine: warning: $TMP/roofline.svg leaves out hashlife, life2d-bit:hashlife: the table shows no share of a limit for them"
drawn 'and the rest is drawn' 'join(" ", sort keys %at) eq "cpu, grid.size=128 128 cpu, grid.size=64 64"'
bench configs/gosper-gun.ini "${short[@]}" --impl hashlife --quiet
expect_equal '--quiet: no line' "$(cat "$TMP/stderr")" ''
expect 'nothing to draw' grep -q 'no row has a share of a limit' "$TMP/roofline.svg"
plan
