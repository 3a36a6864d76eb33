#!/bin/bash
# The notes in files: every format that allows notes has them, and they are the same for every way to make the same run.
# Films have them too.
. "$(dirname "$0")/common"
go() { # go FOLDER [OPTION]…
    run "$ENGINE" run "$TMP/good.ini" --quiet --json --set "run.output=$TMP/$1" "${@:2}"
}

go one --set 'output.formats=rle png apng vti' --set output.every=2 --set init.seed=7 --set life2d-bit.rule=B36/S23
hash=$(json "$TMP/stdout" '{hash}')
version=$("$ENGINE" --version | cut -d' ' -f2)
for file in cells-0000000004.rle cells-0000000004.png cells-0000000004.vti cells.apng; do
    for text in "$version" 'life2d-bit ' "$hash" 'size = 20 10' 'rule = B36/S23'; do
        expect "$file has '$text'" grep -qaF "$text" "$TMP/one/$file"
    done
    expect "$file has the seed" grep -qaE 'Seed(: |.)7' "$TMP/one/$file"
    expect_not "$file does not have the folder" grep -qaF "$TMP/one" "$TMP/one/$file"
done
expect 'comments of .rle' grep -qF "#C Hash: $hash" "$TMP/one/cells-0000000004.rle"
expect 'a text of .png' sh -c "tr '\\000' '=' <'$TMP/one/cells-0000000004.png' | grep -qaF 'Hash=$hash'"
expect_equal 'a film has the hash of every frame' "$(tr '\000' '=' <"$TMP/one/cells.apng" | grep -oaE 'Hash=[0-9a-f]{32}' | sort -u | wc -l)" 3
expect 'the last of which is the final one' sh -c "tr '\\000' '=' <'$TMP/one/cells.apng' | grep -qaF 'Hash=$hash'"
expect 'XML stays XML' perl -0ne 'exit !(/^<\?xml[^>]*>\n<!--\n(.*?)-->\n<VTKFile/s && $1 !~ /--/)' "$TMP/one/cells-0000000004.vti"

# The same files, whatever computed them and how far the run went.
go two --set 'output.formats=rle png apng vti' --set output.every=2 --set init.seed=7 --set life2d-bit.rule=B36/S23 \
    --set run.implementation=cpu-serial --set life2d-bit.instructions=plain --set run.threads=1 --set run.steps=6
for file in cells-0000000004.rle cells-0000000004.png cells-0000000004.vti; do
    expect_same "$TMP/one/$file" "$TMP/two/$file"
done

# Read back, comments are comments.
run "$ENGINE" convert "$TMP/one/cells-0000000004.rle" "$TMP/back.npy"
go npy --set output.formats=npy --set init.seed=7 --set life2d-bit.rule=B36/S23
expect_same "$TMP/back.npy" "$TMP/npy/cells-0000000004.npy"

# A text beyond ASCII, and one with dashes, which XML comments cannot have.
cp configs/patterns/glider.rle "$TMP/gleiter--ö.rle"
go odd --set 'output.formats=png vti rle' --set init.source=file --set "init.file=gleiter--ö.rle" --set 'grid.size=20 10'
expect 'a .png has UTF-8 as iTXt' perl -0777 -ne 'exit !/iTXtConfig\0{5}[^\0]*gleiter--ö/' "$TMP/odd/cells-0000000004.png"
expect 'dashes are parted in XML' perl -0ne 'exit !(/<!--\n(.*?)-->\n<VTKFile/s && $1 !~ /--/)' "$TMP/odd/cells-0000000004.vti"

# A path whose bytes are not UTF-8: texts in files are UTF-8, and XML has no control characters.
utf8() { # utf8 FILE [PERL]: the file, or what the expression takes from its text $_, is UTF-8
    perl -MEncode -0777 -e 'open my $f, "<:raw", $ARGV[0] or die; $_ = <$f>; $_ = eval $ARGV[1] if $ARGV[1]; die unless length;
        exit !defined eval { decode("UTF-8", $_, Encode::FB_CROAK) }' "$@"
}
latin=$TMP/latin/cells-0000000004
cp configs/patterns/glider.rle "$TMP/gleiter-"$'\xf6.rle'
go latin --set 'output.formats=png vti rle' --set init.source=file --set "init.file=gleiter-"$'\xf6.rle' --set 'grid.size=20 10'
expect 'the comment of a .vti is UTF-8' utf8 "$latin.vti" '/<!--(.*?)-->/s && $1'
expect 'so is the text of a .png' utf8 "$latin.png" '$at = index $_, "iTXtConfig"; substr $_, $at + 15, unpack("N", substr $_, $at - 4, 4) - 11'
expect 'and the whole .rle' utf8 "$latin.rle"
expect 'which has the name' grep -qF gleiter- "$latin.rle"

# Particles and tables.
if [ -e "$BUILD/plugins/nbody.so" ]; then
    run "$ENGINE" run configs/nbody-texts.ini --set run.steps=1 --set particles.count=10 --set output.formats=xyz --quiet \
        --set "run.output=$TMP/bodies"
    expect 'the comment of .xyz' grep -qE '^Properties=.* step=1 Engine="[^"]*" Plugin="nbody [^"]*" Seed="1" Hash="[0-9a-f]{32}"$' \
        "$TMP/bodies/position-0000000001.xyz"
    run "$ENGINE" convert "$TMP/bodies/position-0000000001.xyz" "$TMP/bodies.npy"
    expect_equal 'which is read back' "$status" 0
fi
if [ -e "$BUILD/plugins/rdf.so" ]; then
    run "$ENGINE" run configs/rdf-water.ini --set output.formats=svg --quiet --set "run.output=$TMP/rdf"
    expect 'the description of .svg' perl -0ne 'exit !(/<desc>\n.*\nHash: [0-9a-f]{32}\n.*r_max = 10\n<\/desc>/s)' "$TMP/rdf/rdf.svg"
fi

# Films.
expect_equal 'a film is one file' "$(cd "$TMP/one" && ls ./*.apng)" ./cells.apng
expect_equal 'listed once' "$(go three --set output.formats=apng --set output.every=1; json "$TMP/stdout" '{outputs}' | grep -c apng)" 1
go three --force --set output.formats=apng --set output.every=2
expect_equal '--force: a new film' "$(grep -oa fcTL "$TMP/three/cells.apng" | wc -l)" 3
run "$ENGINE" convert "$TMP/one/cells-0000000004.rle" "$TMP/one.apng"
expect_equal 'convert makes a film of a frame' "$status $(grep -oa fcTL "$TMP/one.apng" | wc -l)" '0 1'
if [ -e "$BUILD/plugins/transpose.so" ]; then
    run "$ENGINE" run configs/transpose.ini --set matrix.element=uint8 --set output.formats=apng --set output.every=1 \
        --set "run.output=$TMP/transpose"
    expect_equal 'pictures that change their size: status 6' "$status" 6
    expect_stderr_has "matrix.apng: the film has 700 x 1000 pixels and this frame has 1000 x 700"
fi
plan
