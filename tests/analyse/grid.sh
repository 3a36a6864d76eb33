#!/bin/bash
# [analyse] on a grid: an analysis reads the run's cells with their ghost cells.
. "$(dirname "$0")/../lib.sh"
read -r -a cc <<<"${CC:-cc}"
umask 022 # files of a plugin may not be writable by others
"${cc[@]}" -std=c11 -O1 -Wall -Wextra ${WERROR:+-Werror} -fPIC -shared -Iinclude tests/analyse/edges.c -o "$TMP/edges.so" ||
    skip_all 'the plugin edges cannot be built'
export ENGINE_PLUGIN_PATH=$TMP

# A rule on bytes with ghosts and two buffers: a cell is alive where an odd number of its neighbours is.
cat >"$TMP/parity.c" <<'C'
#include <engine/plugin.h>
static int advance(void *self, struct engine_call *call)
{
    const struct engine_buffer *cells = engine_field_buffer(call, 0);
    (void) self;
    if (call->steps != 1)
        return ENGINE_FAIL(call->host, ENGINE_INTERNAL, "more than one step");
    for (int64_t y = 0; y < (int64_t) cells->shape->extent[1]; y++) {
        uint8_t *next = engine_row(cells, call->result, y, 0);
        for (int64_t x = 0; x < (int64_t) cells->shape->extent[0]; x++) {
            next[x] = 0;
            for (int64_t i = 0; i < 9; i++)
                next[x] ^= i != 4 && ((const uint8_t *) engine_row(cells, call->current, y + i / 3 - 1, 0))[x + i % 3 - 1];
        }
    }
    return ENGINE_OK;
}
static const struct engine_field fields[] = {
    {ENGINE_GRID_FIELD("cells", "", ENGINE_STATE, ENGINE_U8, 2), .values = 2, .reach = {1, 1, 0}}};
static const struct engine_impl impls[] = {
    {ENGINE_HOST_IMPL("cpu", "", 1, ENGINE_EXACT | ENGINE_REFERENCE), .advance = advance}};
ENGINE_EXPORT const struct engine_plugin engine_plugin = {ENGINE_PLUGIN("parity", "1", "counts modulo 2"),
                                                          .fields = ENGINE_ARRAY(fields),
                                                          .impls = ENGINE_ARRAY(impls)};
C
expect 'the rule compiles' "${cc[@]}" -std=c11 -O1 -fPIC -shared -Iinclude "$TMP/parity.c" -o "$TMP/parity.so"
printf 'OO....O\n.O.O...\n.......\n...OO..\nO.....O\n' >"$TMP/start.cells"
cat >"$TMP/parity.ini" <<INI
[run]
plugin = parity
steps = 5
output = $TMP/out
[grid]
size = 7 5
[init]
file = start.cells
[analyse]
plugin = edges
every = 2
[output]
formats = csv
INI

# The same cells by perl: edges to the right and below, of steps 0, 2 and 4 together.
wanted=$(perl -e '
    my @cells = map { chomp; [map { $_ eq "O" ? 1 : 0 } split //] } <STDIN>;
    my ($right, $below) = (0, 0);
    for my $step (0 .. 4) {
        my @next;
        for my $y (0 .. 4) {
            for my $x (0 .. 6) {
                my $live = $cells[$y][$x];
                $right += $live * $cells[$y][($x + 1) % 7] if $step % 2 == 0;
                $below += $live * $cells[($y + 1) % 5][$x] if $step % 2 == 0;
                my $n = -$live;
                for my $dy (-1 .. 1) { $n += $cells[($y + $dy) % 5][($x + $_) % 7] for -1 .. 1 }
                $next[$y][$x] = $n % 2;
            }
        }
        @cells = @next;
    }
    print "edges $right $below"' <"$TMP/start.cells")
expect_status 0 "$ENGINE" run "$TMP/parity.ini" --quiet
expect_equal 'edges of three frames, across the seams too' "$(tr '\n' ' ' <"$TMP/out/edges.csv")" "$wanted "

# Cells in an order that the analysis does not know.
expect_status 4 "$ENGINE" check "$TMP/parity.ini" --set run.plugin=life2d-bit --set run.implementation=cpu
expect_stderr_has 'cells with ghosts around them are wanted, a byte each'
plan
