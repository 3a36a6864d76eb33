#!/bin/bash
# Replica exchange: members without an exchange are those of any ensemble; energies and the shares of accepted exchanges
# are those of integrals; a stopped or killed ensemble ends with the same tables; and what is refused.
. "$(dirname "$0")/common"
. "$(dirname "$0")/tables"
[ -e "$BUILD/plugins/pairs.so" ] || skip_all 'pairs was not built'

# Two Lennard-Jones particles. The mean energy at each temperature is an integral over their distance.
cat >"$TMP/two.ini" <<END
[run]
plugin = pairs
implementation = cpu-serial
steps = 60000
[particles]
count = 2
box = 5 5 5
[init]
source = random-gas
[pairs]
integrator = langevin
[ensemble]
sweep = pairs.temperature:init.seed=0.3:2,0.45:3,0.7:4
exchange = 50
END
# exchange FOLDER [SECTION.KEY=VALUE…]
exchange() {
    expect_status 0 "$ENGINE" run "$TMP/two.ini" --force --set run.output="$TMP/$1" "${@:2}"
}
expect_same_tables() {
    expect_same "$TMP/$1/exchanges.csv" "$TMP/$2/exchanges.csv"
    expect_same <(without_seconds "$TMP/$1/ensemble.csv") <(without_seconds "$TMP/$2/ensemble.csv")
    expect_same "$TMP/$1/metrics.csv" "$TMP/$2/metrics.csv"
}

exchange alone --set ensemble.exchange=0 --set run.steps=300
exchange never --set ensemble.exchange=300 --set run.steps=300
expect_equal 'without an exchange, members are those of any ensemble' "$(column "$TMP/never/ensemble.csv" hash)" \
    "$(column "$TMP/alone/ensemble.csv" hash)"
expect_not 'an ensemble without exchanges has no table of them' test -e "$TMP/alone/exchanges.csv"
exchange first --set run.steps=100
expect_equal 'each member has the seed of its own, and origins follow the exchanges' \
    "$(awk -F, 'NR > 4 { print $3 }' "$TMP/first/exchanges.csv" | sort | paste -sd ' ')" '1 2 3'

# The rows and the integrals: a pair at the distance r < 2.5 has the energy u = 4 (r^-12 - r^-6) - u(2.5), and the rest of
# the box has the energy 0. A pair of members exchanges with the probability min(1, exp((1/Ta - 1/Tb) (Ea - Eb))).
exchange whole
cat >"$TMP/integrals.pl" <<'END'
my @t = (0.3, 0.45, 0.7);
my ($lines, @sum, @tries, @accepted, @expected, @variance, @e, $wrong) = (0);
<STDIN>;
while (<STDIN>) {
    my ($step, $member, $origin, $accepted, $kinetic, $u) = split /,/;
    $e[$member - 1] = [$accepted, $u];
    $sum[$member - 1] += $u if $step > 1000;
    $lines++ if $step > 1000 && $member == 1;
    next if $member < 3;
    for my $i (0, 1) {
        next if $e[$i][0] eq '';
        my $gain = (1 / $t[$i] - 1 / $t[$i + 1]) * ($e[$i][1] - $e[$i + 1][1]);
        my $p = $gain < 0 ? exp $gain : 1;
        $wrong++ if $gain >= 0 && !$e[$i][0];
        $tries[$i]++; $accepted[$i] += $e[$i][0]; $expected[$i] += $p; $variance[$i] += $p * (1 - $p);
    }
}
my $cut = 4 * (2.5 ** -12 - 2.5 ** -6);
for my $i (0 .. 2) {
    my ($z, $exact) = (5 ** 3 - 4 / 3 * 3.14159265358979 * 2.5 ** 3, 0);
    for my $k (0 .. 9999) {
        my $r = 0.5 + ($k + 0.5) * 2e-4;
        my $u = 4 * ($r ** -12 - $r ** -6) - $cut;
        my $w = 4 * 3.14159265358979 * $r * $r * 2e-4 * exp(-$u / $t[$i]);
        $z += $w; $exact += $w * $u;
    }
    printf "energy %g: %.3f, exactly %.3f: %s\n", $t[$i], $sum[$i] / $lines, $exact / $z,
        abs($sum[$i] / $lines - $exact / $z) < 0.06 ? 'right' : 'wrong';
}
printf "accepted %d of %d, expected %.1f: %s\n", $accepted[$_], $tries[$_], $expected[$_],
    $tries[$_] > 590 && abs($accepted[$_] - $expected[$_]) < 3 * sqrt $variance[$_] ? 'right' : 'wrong' for 0, 1;
print "exchanges that gain are accepted: ", $wrong ? 'wrong' : 'right', "\n";
END
perl "$TMP/integrals.pl" <"$TMP/whole/exchanges.csv" >"$TMP/integrals"
expect_equal "$(paste -sd ';' "$TMP/integrals")" "$(grep -c 'right$' "$TMP/integrals")" 6
expect_equal 'the table has the tries' "$(column "$TMP/whole/ensemble.csv" exchanges | paste -sd ' ')" '599 600 '
expect_equal 'and the share' "$(column "$TMP/whole/ensemble.csv" acceptance | head -n 1)" \
    "$(awk -F, '$2 == 1 && $4 != "" { n++; a += $4 } END { printf "%.6g", a / n }' "$TMP/whole/exchanges.csv")"

exchange one --set ensemble.at_once=1 --set run.steps=3000
exchange two --set ensemble.at_once=2 --set run.steps=3000
expect_same_tables one two

# Killed and stopped.
"$ENGINE" run "$TMP/two.ini" --set run.output="$TMP/killed" --set checkpoint.every=1000 >/dev/null 2>&1 &
pid=$!
until [ -e "$TMP/killed/exchange.state" ] || ! kill -0 $pid 2>/dev/null; do sleep 0.02; done
kill -9 $pid 2>/dev/null
wait $pid 2>/dev/null
expect 'it was killed before its end' test "$(wc -l <"$TMP/killed/ensemble.csv")" = 1
expect_status 0 "$ENGINE" resume "$TMP/killed"
expect_same_tables killed whole
expect_equal 'nothing is left to continue from' "$(ls "$TMP/killed" | paste -sd ' ')" \
    'config.ini ensemble.csv ensemble.json exchanges.csv metrics.csv'
# interrupted COMMAND…: stops it after it has written some rows
interrupted() {
    "$@" --quiet >/dev/null 2>&1 &
    pid=$!
    local rows tries=0
    rows=$(wc -c 2>/dev/null <"$TMP/stopped/exchanges.csv" || echo 0)
    until [ "$(wc -c 2>/dev/null <"$TMP/stopped/exchanges.csv" || echo 0)" -gt $((rows + 9000)) ] || [ $tries = 500 ]; do
        tries=$((tries + 1))
        sleep 0.02
    done
    kill -INT $pid
    wait $pid
    expect_equal 'it was stopped' $? 130
}
interrupted "$ENGINE" run "$TMP/two.ini" --set run.output="$TMP/stopped" --set run.steps=100000000
expect_equal 'all members were stopped' "$(column "$TMP/stopped/ensemble.csv" state | paste -sd ' ')" 'stopped stopped stopped'
step=$(sed 's/ .*//' "$TMP/stopped/exchange.state")
interrupted "$ENGINE" resume "$TMP/stopped"
expect 'it continued' test "$(sed 's/ .*//' "$TMP/stopped/exchange.state")" -gt "$step"
expect_same <(head -n 3000 "$TMP/stopped/exchanges.csv") \
    <(head -n "$(head -n 3000 "$TMP/stopped/exchanges.csv" | wc -l)" "$TMP/whole/exchanges.csv")

wrong() { # wrong TEXT OPTION…
    expect_status 2 "$ENGINE" check "$TMP/two.ini" "${@:2}"
    expect_stderr_has "$1"
}
wrong 'expected one sweep of 2 to 1024 temperatures above 0 with a seed for each' --sweep pairs.temperature=0.3,0.4
wrong 'expected one sweep of 2 to 1024 temperatures' --sweep pairs.temperature:init.seed=0:1,0.4:2
wrong '[ensemble] energy = heat: the plugin has no such metric' --set ensemble.energy=heat
wrong '[output] every: members that exchange take no such key' --set output.every=10
expect_status 0 "$ENGINE" check "$TMP/two.ini" --set ensemble.at_once=2
expect_stdout_has 'exchange        every 50 steps; 2 members take steps at the same time'
plan
