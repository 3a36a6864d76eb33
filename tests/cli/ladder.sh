#!/bin/bash
# engine bench with [bench] removes: a table and a drawing of a ladder.
# shellcheck disable=SC2016 # perl has variables too
. "$(dirname "$0")/../lib.sh"

export OMP_WAIT_POLICY=passive # waiting threads that spin would take the cores of others
short=(--repeats 1 --steps 48 --plugins "$BUILD/tests/bad")

# $1: the lines of [bench]
ladder() {
    printf '[run]\nplugin = life2d-bit\nthreads = 1\n[grid]\nsize = 64 64\n[init]\nsource = random\n[bench]\n%b' "$1" \
        >"$TMP/ladder.ini"
}

# $1: name, $2: perl expression about the JSON, $r
json() {
    expect "$1" perl -MJSON::PP -e 'local (@ARGV, $/) = "'"$TMP/ladder.json"'"; my $r = decode_json(<>); exit !do {'"$2"'};'
}

# The declared costs, counted by hand: cpu-serial reads and writes a bit of a cell; cpu takes 8 operations for a word of
# 32 cells, and reads and writes a bit in 48 steps; life2d-lut:cpu-serial takes a lookup for 4 cells.
ladder 'impl = cpu-serial,loose:cuda,cpu,life2d-lut:cuda-gone,life2d-lut:cpu-serial,loose:cuda
removes = - | nothing, it is not built | transfers: many steps a pass | nothing | counting | the rest\n'
expect_status 0 "$ENGINE" bench "$TMP/ladder.ini" "${short[@]}" --json="$TMP/ladder.json" --plot "$TMP/ladder.svg" \
    --csv="$TMP/ladder.csv"
expect_equal 'nothing on stderr' "$(cat "$TMP/stderr")" ''
expect_equal 'rungs, what they remove, and what is counted' \
    "$(sed -n 's/^| *\([^|]*[^ |]\) *| *\([^|]*[^ |]\) *| *\([^|]*[^ |]\) *|.*/\1; \2; \3/p' "$TMP/stdout" | grep -v '^-*; -*; -*$')" \
    "rung; what it removes; counted
cpu-serial; -; 0.25 bytes
cpu; transfers: many steps a pass; 0.25 logic operations, 0.00521 bytes
life2d-lut:cuda-gone; nothing; -
life2d-lut:cpu-serial; counting; 0.25 lookup operations, 0.25 bytes"
expect 'columns are as wide as each other' test \
    "$(grep '^|' "$TMP/stdout" | sed 's/|[^|]*|$//' | awk '{ print length }' | sort -u | wc -l)" = 1
expect 'a rung that refuses says why in its row' grep -q '^| life2d-lut:cuda-gone .*| error: .*cuda-gone' "$TMP/stdout"
expect_equal 'one line names those that this machine does not have' "$(grep '^not on this' "$TMP/stdout")" \
    'not on this machine: loose:cuda, loose:cuda (not compiled into this build, because there was no CUDA compiler)'
json 'a row for each rung, in their order' 'join(" ", map { "$_->{implementation}/$_->{removes}" } @{$r->{rows}}) eq
    "cpu-serial/- loose:cuda/nothing, it is not built cpu/transfers: many steps a pass life2d-lut:cuda-gone/nothing " .
    "life2d-lut:cpu-serial/counting loose:cuda/the rest"'
json 'those that are absent' 'join("", map { $_->{absent} ? 1 : 0 } @{$r->{rows}}) eq "010001" && $r->{rows}[1]{error} =~ /^not compiled/'
json 'what is counted' 'my ($serial, $cpu, $lut) = map { $r->{rows}[$_]{counted} } 0, 2, 4;
    !$serial->{operation} && $serial->{operations} == 0 && $serial->{bytes} == 0.25 &&
    $cpu->{operation} eq "logic" && $cpu->{operations} == 0.25 && abs($cpu->{bytes} * 48 * 8 / 2 - 1) < 1e-9 &&
    $lut->{operation} eq "lookup" && $lut->{operations} == 0.25'
json 'at most what the measured limit allows' 'my $limit = $r->{limits}[0]; my ($serial, $cpu, $lut) = @{$r->{rows}}[0, 2, 4];
    !grep { my ($row, $most) = @$_; abs($row->{at_most} / $most - 1) > 1e-9 || abs($row->{rate} / $most / $row->{share} - 1) > 1e-9 }
        [$serial, $limit->{copy} / 0.25], [$lut, $limit->{copy} / 0.25],
        [$cpu, $cpu->{limit} eq "logic" ? $limit->{logic} / 0.25 : $limit->{copy} * 48 * 4]'
expect_equal 'CSV has the columns of every bench' "$(awk -F, '{ print NF }' "$TMP/ladder.csv" | sort -u | head -n 1)" 20

# The drawing: a bar for each rung that ran, and a line at its limit.
expect 'the drawing is XML' python3 -c 'import sys, xml.dom.minidom as xml; xml.parse(sys.argv[1])' "$TMP/ladder.svg"
expect_equal 'bars and lines' "$(grep -c '<rect x=' "$TMP/ladder.svg") $(grep -c 'stroke-width="3"' "$TMP/ladder.svg")" '3 3'
expect 'lengths are rates, and lines lie at the limits' perl -MJSON::PP -MList::Util=all -e '
    my ($svg, $json) = map { local (@ARGV, $/) = $_; <> } @ARGV;
    my %prefix = (" " => 1, k => 1e3, M => 1e6, G => 1e9, T => 1e12, P => 1e15);
    my (%tick, @bars, @lines);
    for (split /\n/, $svg) {
        $tick{$2 * $prefix{$3 || " "}} = $1 if /<text x="([\d.]+)" y="[\d.]+" text-anchor="middle" fill="#333333">([\d.]+) ?(.?)</;
        push @bars, $1 + $2 if /<rect x="([\d.]+)" y="[\d.]+" width="([\d.]+)"/;
        push @lines, $1 if /<path d="M([\d.]+) .*stroke-width="3"/;
    }
    my ($low, $high) = (sort { $a <=> $b } keys %tick)[0, -1];
    my $logarithmic = $svg =~ /, logarithmic/;
    sub place { my ($number) = @_; my $part = $logarithmic ? log($number / $low) / log($high / $low) : ($number - $low) / ($high - $low);
        $tick{$low} + $part * ($tick{$high} - $tick{$low}) }
    my @rows = grep { !$_->{error} } @{decode_json($json)->{rows}};
    exit !(@rows == 3 && all { abs(place($rows[$_]{rate}) - $bars[$_]) < 0.1 && abs(place($rows[$_]{at_most}) - $lines[$_]) < 0.1 } 0 .. 2)
' "$TMP/ladder.svg" "$TMP/ladder.json"
expect 'a rung says what it removes' grep -q '>cpu removes transfers: many steps a pass<' "$TMP/ladder.svg"
expect 'the first one removes nothing' grep -q '>cpu-serial<' "$TMP/ladder.svg"
expect 'and the line' grep -q '>not on this machine: loose:cuda, loose:cuda (not compiled' "$TMP/ladder.svg"

# With a sweep, each combination has its rungs. The line has each rung once.
expect_status 0 "$ENGINE" bench "$TMP/ladder.ini" "${short[@]}" --sweep grid.size='64 64,80 80' --plot "$TMP/sweep.svg"
expect_equal 'a row for each rung and value' "$(grep -c '^| cpu' "$TMP/stdout")" 4
expect_equal 'the line' "$(grep -o 'loose:cuda' "$TMP/stdout" | wc -l)" 2
expect 'curves' grep -q '<circle' "$TMP/sweep.svg"

# Other implementations than those of the section have the usual table.
expect_status 0 "$ENGINE" bench "$TMP/ladder.ini" "${short[@]}" --impl cpu,loose:cuda --json="$TMP/ladder.json"
expect 'the usual table' grep -q '^| implementation .*| check' "$TMP/stdout"
expect_stderr_has 'loose:cuda is not available'
json 'without texts' '@{$r->{rows}} == 1 && !exists $r->{rows}[0]{removes}'

# If no rung can run, each row has its error.
ladder 'impl = loose:cuda\nremoves = -\n'
run "$ENGINE" bench "$TMP/ladder.ini" "${short[@]}"
expect 'a status' test "$status" -ne 0
expect 'an error' grep -q '^| loose:cuda .*| error: ' "$TMP/stdout"

# A text for each implementation.
for wrong in 'impl = cpu-serial,cpu\nremoves = one\n' 'impl = cpu\nremoves = one | two\n' 'impl = cpu-serial,cpu\nremoves = one |\n' \
    'removes = one\n'; do
    ladder "$wrong"
    expect_status 2 "$ENGINE" bench "$TMP/ladder.ini" "${short[@]}"
    expect_stderr_has "ladder.ini:$(grep -n removes "$TMP/ladder.ini" | cut -d: -f1): [bench] removes: "
done
plan
