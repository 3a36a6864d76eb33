#!/bin/bash
# engine bench --isolated: dishonest plugins get no rate that they have not earned, and honest ones pass.
# shellcheck disable=SC2016 # perl has variables too
. "$(dirname "$0")/../lib.sh"

export OMP_WAIT_POLICY=passive # waiting threads that spin would take the cores of others
export TMP                     # where a cheat keeps files
export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}handle_segv=0 # a crash shall be one
cheats=$BUILD/tests/cheats

# $1: plugin, $2: more lines
config() {
    printf '[run]\nplugin = %s\nthreads = 1\n[particles]\ncount = 1000\n[init]\nsource = random\n%b' "$1" "${2:-}" >"$TMP/$1.ini"
}
config numbers
config reals
config copied

# $1: plugin of the configuration, $2: its reference, $3: plugin:implementation; then options. The first row of the
# table is the reference.
try() {
    run "$ENGINE" bench "$TMP/$1.ini" --plugins "$cheats" --impl "$1:$2,$3" --steps 5000 --repeats 3 --json "${@:4}"
}

# $1: name, $2: perl expression about the rows $honest and $cheat in stdout, and the whole $r
rows() {
    if perl -MJSON::PP -e 'local $/; my $r = decode_json(<STDIN>); my ($honest, $cheat) = @{$r->{rows}};
        exit !do {'"$2"'};' <"$TMP/stdout"; then ok "$1"; else not_ok "$1" "$2" "$(cat "$TMP/stdout" "$TMP/stderr")"; fi
}

# ---- Cheats ------------------------------------------------------------------------------------------------------

# These fool a bench in whose process they run: the table has a rate, and no error. So they do cheat.
# With sanitizers, the program has strcmp and clock_gettime of its own, which nothing can patch.
patched=()
[ -n "${SANITIZE:-}" ] || patched=(compare)
for cheat in cached "${patched[@]}" create file pages warm work; do
    rm -f "$TMP"/result-*
    try numbers cpu "$cheat:fast"
    rows "$cheat fools a bench that is not isolated" '$cheat->{rate} > 100 * $honest->{rate} && $cheat->{hash}'
done
try copied cpu copied:fast
rows 'copied fools a bench that is not isolated' '$cheat->{rate} > 100 * $honest->{rate}'
[ -n "${SANITIZE:-}" ] || try numbers cpu clock:fast
[ -n "${SANITIZE:-}" ] || rows 'clock fools a bench that is not isolated' '$honest->{seconds_median} < 5e-3'

# A process of its own, and a question that is asked once: what they give is wrong.
for cheat in compare:fast create:fast forged:fast half:fast judge:fast later:fast lazy:lazy metrics:fast skips:fast \
    sizes:fast warm:fast; do
    try numbers cpu "$cheat" --isolated
    expect_equal "$cheat: status 1" "$status" 1
    rows "$cheat: its state is wrong, and it has no rate" \
        '!exists $cheat->{rate} && $cheat->{error} =~ /has the hash/ && $honest->{confirmed_step} == $honest->{steps} + 1'
    [ "$cheat" != judge:fast ] || expect_not 'judge reaches no other process' grep -q 'reaches' "$TMP/stderr"
done

# The same for real numbers.
for cheat in nothing single zeros; do
    try reals precise "$cheat:fast" --isolated
    rows "$cheat: its numbers are wrong, and it has no rate" \
        '!exists $cheat->{rate} && $cheat->{error} =~ /its numbers after \d+ steps differ/ && $honest->{rate} > 0'
done

# Numbers that are far apart at an end may have drifted, so the table says how far; a few steps may be right.
for cheat in loose sometimes; do
    try reals precise "$cheat:fast" --isolated
    rows "$cheat: an error, or the table says that ends of repeats are wrong" \
        '$cheat->{error} || ($cheat->{confirmed_step} < 5 && $cheat->{mark} =~ /the ends of its repeats are \S+ apart/)'
done

# Or it is right, and the rate was earned: at most that of the two cores of a small machine, unless the judge sees that
# more threads than one have worked.
for cheat in cached clock file forks pages threads work; do
    rm -f "$TMP"/result-*
    try numbers cpu "$cheat:fast" --isolated
    rows "$cheat: an error, or the rate of the reference" \
        '$honest->{seconds_median} > 1e-3 && ($cheat->{error} =~ /threads?: it computes on others/ ||
         ($cheat->{rate} < 5 * $honest->{rate} && $cheat->{confirmed_step} == $cheat->{steps} + 1))'
done
try copied cpu copied:fast --isolated
rows 'copied: the rate of the reference' \
    '$cheat->{rate} < 5 * $honest->{rate} && $cheat->{confirmed_step} == $cheat->{steps} + 1'

# Steps that the reference cannot follow: what it could follow is compared, and was slower.
run "$ENGINE" bench "$TMP/numbers.ini" --plugins "$cheats" --impl patient:fast --repeats 1 --json --isolated \
    --steps 1000000000000 --seconds 20 --set particles.count=10
perl -pi -e 's/"rows":\[/"rows":[{},/' "$TMP/stdout" # no other row can take so many steps
rows 'patient: the table says that the compared steps were slower' \
    '$cheat->{confirmed_step} < $cheat->{steps} && $cheat->{mark} =~ /these steps took .* times as long/'

# ---- Processes that end ----------------------------------------------------------------------------------------------

while read -r how seconds text; do
    try numbers cpu ends:fast --isolated --set ends.how="$how" --seconds "$seconds" --memory 500
    rows "a process that $how is a result" '$honest->{rate} > 0 && $cheat->{error} =~ /^'"$text"'/'
done <<'END'
crashes 60 crashed: signal 11 \(Segmentation fault\)
exits 60 ended its process with status 3; a plugin returns an error instead
hangs 10 hung: it has not answered for 10 seconds; --seconds N gives it more time
stops 10 hung: it has not answered for 10 seconds; --seconds N gives it more time
eats 60 takes more than 524 MB of memory; --memory N sets another limit
END

run "$ENGINE" conform "$cheats/ends.so" --set ends.how=eats --memory 500 --impl fast --property equals
expect_equal 'conform: a full memory breaks a promise' "$status" 1
expect_stdout_has 'takes more than 524 MB of memory at size'

# ---- Draws -------------------------------------------------------------------------------------------------------

try numbers cpu numbers:fast --isolated --draw 7
cp "$TMP/stdout" "$TMP/first"
rows 'the number that was given is printed' '$r->{draw} == 7'
rows 'less than one percent of steps is added' '$honest->{steps} >= 5000 && $honest->{steps} < 5050'
try numbers cpu numbers:fast --isolated --draw 7
expect_equal 'the same number: the same steps and hashes' "$(grep -E '"(steps|hash)"' "$TMP/stdout")" \
    "$(grep -E '"(steps|hash)"' "$TMP/first")"
try numbers cpu numbers:fast --isolated
expect_not 'another number: other hashes' cmp -s <(grep '"hash"' "$TMP/stdout") <(grep '"hash"' "$TMP/first")
rows 'each row has a state of its own' '$honest->{hash} ne $cheat->{hash}'
expect_status 2 "$ENGINE" bench "$TMP/numbers.ini" --plugins "$cheats" --draw 7
expect_stderr_has '--draw, --seconds and --memory belong to --isolated'
run "$ENGINE" bench configs/gosper-gun.ini --impl cpu --isolated --repeats 1 --steps 10
expect 'a state that does not depend on its seed is marked' grep -q 'hash equal at step 11; the initial state is known' "$TMP/stdout"
expect 'the table has the number' grep -Eq '^draw     [0-9]+$' "$TMP/stdout"

# ---- Honest plugins --------------------------------------------------------------------------------------------------

# $1: configuration, then assignments. Every row that can run passes.
honest() {
    local words=()
    for word in "${@:2}"; do words+=(--set "$word"); done
    run "$ENGINE" bench "configs/$1" "${words[@]}" --isolated --repeats 1 --steps 5
    expect_equal "$1: status 0" "$status" 0
    expect "$1: every row passes" perl -ne '
        $passed++ if /^\| cpu.*(hash equal at step 6|within \S+ at step \d( of 6)?|error 0 at step 6)(;.*)? \|$/;
        $failed++ if /^\| cpu/ && / error: / && !/cannot run this/; END { exit !($passed >= 2 && !$failed) }' "$TMP/stdout"
}
try numbers cpu numbers:fast --isolated
rows 'a faster algorithm is no cheat' '$cheat->{rate} > 10 * $honest->{rate} && $cheat->{confirmed_step} == $cheat->{steps} + 1'
honest soup.ini 'grid.size=96 64'
honest brians-brain.ini 'grid.size=64 64'
honest bugs.ini 'grid.size=64 64'
honest wireworld.ini
honest life3d-clouds.ini 'grid.size=32 32 32'
honest matrix.ini matrix.rows=32 matrix.columns=32
honest transpose.ini matrix.rows=30 matrix.columns=50
honest rdf-ideal.ini particles.count=200
honest nbody-texts.ini particles.count=200
honest nbody-tree.ini particles.count=200
honest soup.ini 'grid.size=64 64' grid.batch=5

# ---- The program -------------------------------------------------------------------------------------------------

expect_status 2 "$BUILD/engine-judge"
expect_stderr_has 'engine-judge is started by `engine bench --isolated`, and not by people'
plan
