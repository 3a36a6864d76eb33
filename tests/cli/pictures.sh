#!/bin/bash
# Pictures of a grid of floats use the range that the plugin gives, or the range that the configuration gives instead.
. "$(dirname "$0")/../lib.sh"
umask 022 # files of a plugin may not be writable by others
read -r -a cc <<<"${CC:-cc}"

# still NAME FIELD…: builds a plugin of grids in the plane whose steps change nothing. FIELD: the other members of a
# field.
still() {
    local name=$1 fields
    fields=$(printf '{.help = "of a plane", .kind = ENGINE_GRID, .role = ENGINE_STATE, .rank = 2, %s},\n' "${@:2}")
    cat >"$TMP/$name.c" <<C
#define ENGINE_MINOR 1 /* for engine_field.range */
#include <engine/plugin.h>

static const struct engine_field fields[] = {
$fields
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
    .abi = ENGINE_ABI(1), .name = "$name", .version = "1", .summary = "stays",
    .fields = ENGINE_ARRAY(fields), .impls = ENGINE_ARRAY(impls),
};
C
    "${cc[@]}" -std=c11 -O1 -Wall -Wextra ${WERROR:+-Werror} -fPIC -shared -Iinclude "$TMP/$name.c" -o "$TMP/$name.so"
}

expect 'a plugin that says a range' \
    still heat '.name = "heat", .type = ENGINE_F32, .components = 1, .range = {-1, 3}'
printf '[run]\nplugin = heat\n[grid]\nsize = 40 30\n[init]\nsource = random\n[output]\nformats = npy png\n' \
    >"$TMP/heat.ini"

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
    expect_status 0 "$ENGINE" run "$TMP/heat.ini" --plugins "$TMP" --quiet --force --set run.output="$TMP/out" \
        "${set[@]}"
    expect_status 0 "$ENGINE" convert "$TMP/out/heat-0000000001.npy" "$TMP/a.png" --force --range "$range"
    expect_equal "$name" "$(pixels "$TMP/out/heat-0000000001.png")" "$(pixels "$TMP/a.png")"
}
shown 'the range of the field' -1,3
shown 'the range of the configuration' 0.25,0.5 output.range='0.25 0.5'
expect_not 'another range gives another picture' test "$(pixels "$TMP/out/heat-0000000001.png")" = \
    "$("$ENGINE" convert "$TMP/out/heat-0000000001.npy" "$TMP/b.png" && pixels "$TMP/b.png")"

# ---- A component of several, the fields that are written, and the space that a film needs
expect 'a plugin of two components' still pair '.name = "noise", .type = ENGINE_U8, .components = 1' \
    '.name = "wind", .type = ENGINE_F32, .components = 2'
printf '[run]\nplugin = pair\nsteps = 4\n[grid]\nsize = 40 30\n[init]\nsource = random\n' >"$TMP/pair.ini"
go() { # go FOLDER [SETTING]…
    local set=() setting
    for setting in "${@:2}"; do set+=(--set "$setting"); done
    expect_status 0 "$ENGINE" run "$TMP/pair.ini" --plugins "$TMP" --quiet --set run.output="$TMP/$1" "${set[@]}"
}
names() { (cd "$TMP/$1" && echo *.*[a-z]) | sed 's/config.ini \|metrics.csv \|summary.json//g'; }
go second output.formats='npy png snapshot' output.component=1 output.every=4
expect_equal 'a picture of each field' "$(cd "$TMP/second" && echo *0004.png)" \
    'noise-0000000004.png wind-0000000004.png'
# Component 1 of the array (y, x, component), taken out without the engine.
perl -e 'local $/; open my $f, "<:raw", $ARGV[0] or die; my $b = <$f>; my @all = unpack "f<*", substr $b, 10 + unpack "v", substr $b, 8, 2;
    my $header = "{\x27descr\x27: \x27<f4\x27, \x27fortran_order\x27: False, \x27shape\x27: (30, 40), }";
    print "\x93NUMPY\x01\x00", pack("v", length $header), $header, pack "f<*", @all[grep { $_ % 2 } 0 .. $#all]' \
    "$TMP/second/wind-0000000004.npy" >"$TMP/one.npy"
expect_status 0 "$ENGINE" convert "$TMP/one.npy" "$TMP/one.png"
expect_equal 'the picture shows component 1' "$(pixels "$TMP/second/wind-0000000004.png")" "$(pixels "$TMP/one.png")"
go first output.formats=png output.component=0
expect_not 'and another one component 0' test "$(pixels "$TMP/first/wind-0000000004.png")" = "$(pixels "$TMP/one.png")"
go wind output.formats='png snapshot' output.fields=wind output.component=1
expect_equal 'fields: a file of the one that is listed' "$(cd "$TMP/wind" && echo wind*4.png noise*.png)" \
    'wind-0000000004.png noise*.png'
expect_status 0 "$ENGINE" convert "$TMP/second/noise-0000000004.snapshot" "$TMP/noise.png" --component 1
expect_equal 'convert takes the first array' "$(pixels "$TMP/noise.png")" "$(pixels "$TMP/second/noise-0000000004.png")"
go none output.formats=png
expect_equal 'without a choice, several components have no picture' "$(cd "$TMP/none" && echo *.png)" \
    noise-0000000004.png
go fields output.formats='npy rle3 csv' output.fields=noise output.formats=npy
expect_equal 'fields: an array of the one that is listed' "$(cd "$TMP/fields" && echo *.npy)" noise-0000000004.npy
expect_status 2 "$ENGINE" check "$TMP/pair.ini" --plugins "$TMP" --set output.component=2
expect_stderr_has '[output] component = 2: the grids have at most 2 components; expected 0 to 1'
expect_status 2 "$ENGINE" check "$TMP/pair.ini" --plugins "$TMP" --set output.fields='noise windd'
expect_stderr_has "[output] fields: 'windd' is not a state or an output, did you mean 'wind'?"
expect_status 2 "$ENGINE" check "$TMP/pair.ini" --plugins "$TMP" --set output.fields=wind --set output.formats=png
expect_stderr_has 'png cannot hold any field of pair that [output] fields lists: wind'

# ---- Particles: the same pixels for any number of threads and parts, and after a resumption
if [ -e "$BUILD/plugins/nbody.so" ]; then
    cat >"$TMP/bodies.ini" <<INI
[run]
plugin = nbody
steps = 40
[particles]
count = 2000
[init]
source = cube
[nbody]
dt = 0.02
total_mass = 1
[output]
every = 10
formats = apng png
pixels = 200
[checkpoint]
every = 20
INI
    bodies() { # FOLDER [SETTING]…
        local set=() setting
        for setting in "${@:2}"; do set+=(--set "$setting"); done
        expect_status 0 "$ENGINE" run "$TMP/bodies.ini" --quiet --set run.output="$TMP/$1" "${set[@]}"
    }
    bodies whole run.threads=1
    film_pixels "$TMP/whole/position.apng" >"$TMP/whole.pixels"
    expect_equal 'a frame for each output, in colour' "$(cut -d ' ' -f 1 "$TMP/whole.pixels" | paste -sd ' ')" \
        'PLTE IDAT fdAT fdAT fdAT fdAT'
    expect_equal 'frames have the pixels of the pictures' "$(film_pixels "$TMP/whole/position-0000000040.png" \
        | tail -n 1 | cut -d ' ' -f 2)" \
        "$(tail -n 1 "$TMP/whole.pixels" | cut -d ' ' -f 2)"
    bodies threads run.threads=3
    film_pixels "$TMP/threads/position.apng" >"$TMP/other.pixels"
    expect_same "$TMP/other.pixels" "$TMP/whole.pixels"
    bodies parts run.parts=3
    film_pixels "$TMP/parts/position.apng" >"$TMP/other.pixels"
    expect_same "$TMP/other.pixels" "$TMP/whole.pixels"
    # The cube collapses. The scale stays that of the first picture, also in a process that has not drawn it.
    bodies half run.steps=20
    expect_status 0 "$ENGINE" resume "$TMP/half" --quiet --set run.steps=40
    film_pixels "$TMP/half/position.apng" >"$TMP/other.pixels"
    expect_same "$TMP/other.pixels" "$TMP/whole.pixels"
    bodies late run.steps=40 output.every=0
    expect_not 'a picture alone has a scale of its own' test "$(film_pixels "$TMP/late/position-0000000040.png")" = \
        "$(film_pixels "$TMP/whole/position-0000000040.png")"
    # Bodies of one mass: masses change nothing. Other keys do.
    for setting in output.weight=mass output.particle_size=mass; do
        rm -rf "$TMP/threads"
        bodies threads "$setting"
        film_pixels "$TMP/threads/position.apng" >"$TMP/other.pixels"
        expect_same "$TMP/other.pixels" "$TMP/whole.pixels"
    done
    # Bodies of two masses: mass is an input, which files of other formats have too.
    perl -e 'printf "200\nProperties=pos:R:3:mass:R:1\n"; printf "%g %g 0 %g\n", $_ % 20, int($_ / 20), $_ % 2 ? 1 : 27 for 0 .. 199' >"$TMP/two.xyz"
    two() { # FOLDER [SETTING]…
        bodies "$1" init.source=file init.file="$TMP/two.xyz" particles.count=200 run.steps=0 nbody.total_mass=0 \
            "${@:2}"
        film_pixels "$TMP/$1/position-0000000000.png" >"$TMP/$1.pixels"
    }
    two equal
    two weight output.weight=mass
    two size output.particle_size=mass
    expect_not 'weight = mass changes the picture' cmp -s "$TMP/weight.pixels" "$TMP/equal.pixels"
    expect_not 'particle_size = mass changes the picture' cmp -s "$TMP/size.pixels" "$TMP/equal.pixels"
    # convert draws the first frame as the run does, in colour, unless it is asked for shades of grey.
    expect_status 0 "$ENGINE" convert "$TMP/two.xyz" "$TMP/two.png"
    expect 'convert: particles have colours' grep -q PLTE "$TMP/two.png"
    expect_status 0 "$ENGINE" convert "$TMP/two.xyz" "$TMP/grey.png" --colours grey
    expect_not 'convert: --colours grey' grep -q PLTE "$TMP/grey.png"
fi
expect_status 2 "$ENGINE" check "$TMP/heat.ini" --plugins "$TMP" --set output.weight=mass
expect_stderr_has \
    '[output] weight: nothing uses this key, because heat writes no particles that have a mass; leave it out'

# The figure that check gives is at least the size of the films.
for scale in 0 1 8; do
    rm -rf "$TMP/film"
    film=(output.formats=apng output.every=1 output.fields=noise output.scale=$scale grid.size='300 200')
    go film "${film[@]}"
    run "$ENGINE" check "$TMP/pair.ini" --plugins "$TMP" --json "${film[@]/#/--set=}"
    most=$(perl -ne 'print $1 if /"disk_bytes_most": *([0-9]+)/' "$TMP/stdout")
    expect "scale $scale: a film of $(stat -c %s "$TMP/film/noise.apng") bytes; check says at most $most" \
        test "$(stat -c %s "$TMP/film/noise.apng")" -le "${most:-0}"
done
plan
