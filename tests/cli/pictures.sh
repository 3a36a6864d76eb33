#!/bin/bash
# Pictures of a grid of floats use the range that the plugin gives, or the range that the configuration gives instead.
. "$(dirname "$0")/../lib.sh"
umask 022 # files of a plugin may not be writable by others
cat >"$TMP/heat.c" <<'C'
#define ENGINE_MINOR 1 /* for engine_field.range */
#include <engine/plugin.h>

static const struct engine_field fields[] = {
    {.name = "heat", .help = "of a plane", .kind = ENGINE_GRID, .role = ENGINE_STATE, .type = ENGINE_F32,
     .components = 1, .rank = 2, .range = {-1, 3}},
};

static int advance(void *self, struct engine_call *call)
{
    (void) self;
    call->result = call->current;
    return 0;
}

static const struct engine_impl impls[] = {
    {.name = "cpu", .help = "nothing", .flags = ENGINE_EXACT | ENGINE_REFERENCE | ENGINE_IN_PLACE, .advance = advance},
};

ENGINE_EXPORT const struct engine_plugin engine_plugin = {
    .abi = ENGINE_ABI(1), .name = "heat", .version = "1", .summary = "stays",
    .fields = ENGINE_ARRAY(fields), .impls = ENGINE_ARRAY(impls),
};
C
read -r -a cc <<<"${CC:-cc}"
expect 'a plugin that says a range' "${cc[@]}" -std=c11 -O1 -Wall -Wextra -Werror -fPIC -shared -Iinclude "$TMP/heat.c" \
    -o "$TMP/heat.so"
printf '[run]\nplugin = heat\n[grid]\nsize = 40 30\n[init]\nsource = random\n[output]\nformats = npy png\n' >"$TMP/heat.ini"

# The compressed pixels of a picture, as numbers.
pixels() {
    perl -e 'local $/; open my $f, "<:raw", $ARGV[0] or die; my $png = <$f>; my $at = 8;
        while ($at < length $png) {
            my ($n, $kind) = unpack "N a4", substr $png, $at;
            print unpack "H*", substr $png, $at + 8, $n if $kind eq "IDAT";
            $at += $n + 12;
        }' "$1"
}

# shown NAME LOW,HIGH [SETTING]…: a run's picture is what convert makes of its array with that range.
shown() {
    local name=$1 range=$2 set=() setting
    for setting in "${@:3}"; do set+=(--set "$setting"); done
    expect_status 0 "$ENGINE" run "$TMP/heat.ini" --plugins "$TMP" --quiet --force --set run.output="$TMP/out" "${set[@]}"
    expect_status 0 "$ENGINE" convert "$TMP/out/heat-0000000001.npy" "$TMP/a.png" --force --range "$range"
    expect_equal "$name" "$(pixels "$TMP/out/heat-0000000001.png")" "$(pixels "$TMP/a.png")"
}
shown 'the range of the field' -1,3
shown 'the range of the configuration' 0.25,0.5 output.range='0.25 0.5'
expect_not 'another range gives another picture' test "$(pixels "$TMP/out/heat-0000000001.png")" = \
    "$("$ENGINE" convert "$TMP/out/heat-0000000001.npy" "$TMP/b.png" && pixels "$TMP/b.png")"
plan
