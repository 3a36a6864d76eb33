#!/bin/bash
# Random initial states of a field whose cells take a thousand values and have two bytes each.
. "$(dirname "$0")/common"
umask 022
mkdir "$TMP/plugins"
cat >"$TMP/levels.c" <<'C'
#include <engine/plugin.h>
static int advance(void *self, struct engine_call *call)
{
    (void) self, (void) call;
    return ENGINE_OK;
}
static const struct engine_field fields[] = {
    {.name = "level", .help = "of water", .type = ENGINE_U16, .components = 1, .rank = 2, .values = 1000},
};
static const struct engine_impl impls[] = {
    {.name = "cpu", .help = "stays as it is", .flags = ENGINE_EXACT | ENGINE_REFERENCE | ENGINE_IN_PLACE,
     .advance = advance},
};
const struct engine_plugin engine_plugin = {.abi = ENGINE_ABI(0), .name = "levels", .version = "1.0",
                                            .summary = "water", .fields = ENGINE_ARRAY(fields),
                                            .impls = ENGINE_ARRAY(impls)};
C
read -r -a cc <<<"${CC:-cc}"
expect 'the plugin compiles' "${cc[@]}" -std=c11 -shared -fPIC -Iinclude "$TMP/levels.c" -o "$TMP/plugins/levels.so"
printf '[run]\nplugin = levels\nsteps = 0\n[grid]\nsize = 301 200\n[init]\nsource = random\ndensity = 0.75\n' \
    >"$TMP/levels.ini"

for threads in 1 2; do
    expect_status 0 "$ENGINE" run "$TMP/levels.ini" --plugins "$TMP/plugins" --quiet --set "run.output=$TMP/$threads" \
        --set run.threads=$threads
done
expect_same "$TMP/1/level-0000000000.npy" "$TMP/2/level-0000000000.npy"

# How many cells, how many of them 0, how many above 999, the mean of those that are not 0.
read -r cells zero above mean < <(perl -e '
    local $/; open my $file, "<:raw", $ARGV[0] or die; my $bytes = <$file>;
    my ($n, $zero, $above, $sum) = (0, 0, 0, 0);
    for (unpack "v*", substr $bytes, 10 + unpack "v", substr $bytes, 8, 2) {
        $n++; $zero++ unless $_; $above++ if $_ > 999; $sum += $_;
    }
    print "$n $zero $above ", int($sum / ($n - $zero) + 0.5), "\n"' "$TMP/1/level-0000000000.npy")
expect_equal 'cells' "$cells" $((301 * 200))
expect_equal 'cells beyond the values of the field' "$above" 0
# Five standard deviations of a binomial and of a uniform distribution.
expect "a quarter of the cells is 0: $zero" test "$zero" -gt $((15050 - 532)) -a "$zero" -lt $((15050 + 532))
expect "the others are spread evenly over 1 to 999: $mean" test "$mean" -ge 493 -a "$mean" -le 507
plan
