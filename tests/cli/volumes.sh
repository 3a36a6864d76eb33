#!/bin/bash
# Grids of three axes on the command line: RLE3, .npy, .vti with its .pvd, and pictures. The plugin moves every cell by
# one along x, y and z in each step, so the results are known.
. "$(dirname "$0")/common"
umask 022
mkdir "$TMP/plugins"
cat >"$TMP/moving.c" <<'C'
#include <engine/plugin.h>
static int advance(void *self, struct engine_call *call)
{
    const struct engine_buffer *cells = engine_field_buffer(call, 0);
    const uint64_t *extent = cells->shape->extent;
    (void) self;
    for (uint64_t z = 0; z < extent[2]; z++)
        for (uint64_t y = 0; y < extent[1]; y++) {
            const int64_t row = (int64_t) y * cells->row_stride + (int64_t) z * cells->plane_stride;
            const uint8_t *from = (const uint8_t *) cells->origin[call->current] + row;
            uint8_t *to = (uint8_t *) cells->origin[1 - call->current] + row;
            for (int64_t x = 0; x < (int64_t) extent[0]; x++)
                to[x] = from[x - 1 - cells->row_stride - cells->plane_stride];
        }
    call->result = 1 - call->current;
    return ENGINE_OK;
}
static const struct engine_param params[] = {
    {.name = "rule", .help = "does nothing", .type = ENGINE_PARAM_TEXT, .initial = "B6/S5..7", .file_key = "rule"},
};
static const struct engine_field fields[] = {
    {.name = "cells", .help = "0 or 1", .components = 1, .rank = 3, .values = 2, .reach = {1, 1, 1}},
};
static const struct engine_impl impls[] = {
    {.name = "cpu", .help = "one loop", .flags = ENGINE_EXACT | ENGINE_REFERENCE, .advance = advance},
};
const struct engine_plugin engine_plugin = {.abi = ENGINE_ABI(0), .name = "moving", .version = "1.0",
                                            .summary = "moves cells", .params = ENGINE_ARRAY(params),
                                            .fields = ENGINE_ARRAY(fields), .impls = ENGINE_ARRAY(impls)};
C
read -r -a cc <<<"${CC:-cc}"
expect 'the plugin compiles' "${cc[@]}" -std=c11 -shared -fPIC -Iinclude "$TMP/moving.c" -o "$TMP/plugins/moving.so"

go() { # go FOLDER [OPTION]…
    expect_status 0 "$ENGINE" run "$TMP/moving.ini" --plugins "$TMP/plugins" --quiet --set "run.output=$TMP/$1" "${@:2}"
}

# Places x y z of what is not 0 in a .npy of three axes, a line each, behind the shape.
places() {
    perl -e '
        local $/; open my $file, "<:raw", $ARGV[0] or die; my $bytes = <$file>;
        my $header = unpack "v", substr $bytes, 8, 2;
        my ($depth, $height, $width) = substr($bytes, 10, $header) =~ /\((\d+), (\d+), (\d+)\)/ or die;
        print "$width $height $depth\n";
        my $cells = substr $bytes, 10 + $header; die unless length $cells == $width * $height * $depth;
        while ($cells =~ /[^\0]/g) {
            my $at = pos($cells) - 1;
            printf "%d %d %d\n", $at % $width, int($at / $width) % $height, int($at / $width / $height);
        }' "$1"
}

# ---- A pattern of Golly's Help: its grid, its place, its rule
cat >"$TMP/ship.rle3" <<'RLE3'
3D version=1 size=40 pos=19,18,18
# A 10c/10 orthogonal spaceship.
x=2 y=4 z=4 rule=3D4,7/5,8
$bo$bo/bo$bo$bo$oo/oo$bo$bo$bo/$bo$bo!
RLE3
cat >"$TMP/moving.ini" <<'INI'
[run]
plugin = moving
steps = 3
[init]
file = ship.rle3
[output]
every = 1
formats = npy rle3 vti png
scale = 1
INI
ship='1 1 0|1 2 0|1 0 1|1 1 1|1 2 1|0 3 1|1 3 1|0 0 2|1 0 2|1 1 2|1 2 2|1 3 2|1 1 3|1 2 3'
moved() { # moved X Y Z: the ship there, in the order of places
    tr '|' '\n' <<<"$ship" | awk -v x="$1" -v y="$2" -v z="$3" '{print $1 + x, $2 + y, $3 + z}'
}
go ship --json
cp "$TMP/stdout" "$TMP/run.json"
expect_equal 'the ship lies where its file says' "$(places "$TMP/ship/cells-0000000000.npy")" \
    "$(echo 40 40 40 && moved 19 18 18)"
expect_equal 'and moves' "$(places "$TMP/ship/cells-0000000003.npy")" "$(echo 40 40 40 && moved 22 21 21)"
expect_equal 'its rule and step are written' "$(grep -v "^#" "$TMP/ship/cells-0000000003.rle3" | head -n 2)" \
    $'3D version=1 size=40 gen=3\nx=40 y=40 z=40 rule=3D4,7/5,8'
json "$TMP/run.json" '{outputs}' >"$TMP/outputs"
expect_equal 'every file is among the outputs, once' \
    "$(find "$TMP/ship" -type f ! -name config.ini ! -name summary.json | sort)" "$(sort "$TMP/outputs")"

# ---- The list of the series
expect_equal 'the .pvd lists every .vti with its step' \
    "$(grep -o 'timestep="[0-9]*"\|file="[^"]*"' "$TMP/ship/cells.pvd" | paste -sd' ')" \
    "$(for i in 0 1 2 3; do printf 'timestep="%d" file="cells-%010d.vti"\n' $i $i; done | paste -sd' ')"
go final --set output.every=0 --set output.formats=vti
expect_equal 'and one file where there is one' "$(grep -c DataSet "$TMP/final/cells.pvd")" 1

# ---- A box: written as RLE3, it states its sides again
sed -i '/^\[init\]/,$d' "$TMP/moving.ini"
cat >>"$TMP/moving.ini" <<'INI'
[grid]
size = 7 5 6
[init]
source = random
density = 0.3
[output]
formats = npy rle3
INI
go box
expect_equal 'the sides of a box are stated' "$(grep -v "^#" "$TMP/box/cells-0000000003.rle3" | head -n 2)" \
    $'3D version=1 size=7 gen=3 grid=7,5,6\nx=7 y=5 z=6 rule=3D5..7/6'
for ending in rle3 npy; do
    sed '/^size/d; /^source/d; /^density/d' "$TMP/moving.ini" >"$TMP/again.ini"
    sed -i "s|^\[init\]|&\nfile = box/cells-0000000003.$ending|" "$TMP/again.ini"
    expect_status 0 "$ENGINE" run "$TMP/again.ini" --plugins "$TMP/plugins" --quiet --set run.steps=0 \
        --set "run.output=$TMP/$ending"
    expect_same "$TMP/$ending/cells-0000000000.npy" "$TMP/box/cells-0000000003.npy"
done

# ---- Without a plugin
convert() { expect_status 0 "$ENGINE" convert "$@"; }
convert "$TMP/box/cells-0000000003.npy" "$TMP/a.rle3.gz"
convert "$TMP/a.rle3.gz" "$TMP/a.npy"
expect_same "$TMP/a.npy" "$TMP/box/cells-0000000003.npy"
convert "$TMP/a.rle3.gz" "$TMP/a.vti"
expect 'a .vti states its sides' grep -aqF 'WholeExtent="0 7 0 5 0 6"' "$TMP/a.vti"
size_of() { od -An -tu1 -j16 -N8 "$1" | awk '{print $4 + 256 * $3, $8 + 256 * $7}'; }
for view in 'z 7 5' 'y 7 6' 'x 5 6'; do
    read -r axis width height <<<"$view"
    convert "$TMP/a.npy" "$TMP/$axis.png" --scale 1 --axis "$axis"
    expect_equal "looked along $axis" "$(size_of "$TMP/$axis.png")" "$width $height"
    convert "$TMP/a.npy" "$TMP/$axis-2.png" --scale 1 --axis "$axis" --slice 2
    expect_equal "a slice of $axis" "$(size_of "$TMP/$axis-2.png")" "$width $height"
done
refused 'a slice that is not there' 6 'there is no slice 5: the grid has 5 cells along y' \
    "$ENGINE" convert "$TMP/a.npy" "$TMP/b.png" --axis y --slice 5
refused 'an axis that is none' 2 "--axis: 'w' is not an axis" "$ENGINE" convert "$TMP/a.npy" "$TMP/b.png" --axis w
refused 'RLE3 of two axes' 6 'format rle3 cannot hold' "$ENGINE" convert configs/patterns/gosper-gun.rle "$TMP/b.rle3"

# ---- What a configuration may say of pictures
sed -i 's/^formats.*/formats = png\nscale = 1/' "$TMP/moving.ini"
go slices --set output.view=slice --set output.axis=x --set output.slice=6
expect_equal 'a slice along x' "$(size_of "$TMP/slices/cells-0000000003.png")" '5 6'
depth_of() { od -An -tu1 -j24 -N1 "$1" | tr -d ' '; }
expect_equal 'is black and white' "$(depth_of "$TMP/slices/cells-0000000003.png")" 1
expect_equal 'a projection has shades' "$(depth_of "$TMP/ship/cells-0000000003.png")" 8
check=("$ENGINE" run "$TMP/moving.ini" --plugins "$TMP/plugins" --set "run.output=$TMP/out")
refused 'a slice beyond the grid' 2 '[output] slice = 7: cells has 7 cells along x; expected 0 to 6' \
    "${check[@]}" --set output.view=slice --set output.axis=x --set output.slice=7
refused 'a slice with depth' 2 '[output] depth: a slice has no depth' "${check[@]}" --set output.view=slice \
    --set output.depth=auto
refused 'the same of an option' 2 '--depth: a slice has no depth' "$ENGINE" convert "$TMP/a.npy" "$TMP/b.png" --slice 1 \
    --depth auto
refused 'a view that is none' 2 "view" "${check[@]}" --set output.view=shadow
refused 'an axis that is none' 2 "axis" "${check[@]}" --set output.axis=w
plan
