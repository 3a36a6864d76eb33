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
expect_equal 'a film has the hash of every frame' \
    "$(tr '\000' '=' <"$TMP/one/cells.apng" | grep -oaE 'Hash=[0-9a-f]{32}' | sort -u | wc -l)" 3
expect 'the last of which is the final one' sh -c "tr '\\000' '=' <'$TMP/one/cells.apng' | grep -qaF 'Hash=$hash'"
expect 'XML stays XML' perl -0ne 'exit !(/^<\?xml[^>]*>\n<!--\n(.*?)-->\n<VTKFile/s && $1 !~ /--/)' \
    "$TMP/one/cells-0000000004.vti"

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

# What people post: the words of the author stand in the files of a run, which has no folders and no seed.
mkdir "$TMP/folder"
printf '#N Glider\n#O Richard K. Guy\n#C a ship\n#C Seed: 7\nx = 3, y = 3, rule = B3/S23\nbo$2bo$3o!\n' \
    >"$TMP/folder/guy.rle"
sed '/^source/d; /^density/d' "$TMP/good.ini" >"$TMP/guy.ini"
printf 'file = folder/guy.rle\n[output]\nformats = rle mc png vti\n' >>"$TMP/guy.ini"
run "$ENGINE" run "$TMP/guy.ini" --quiet --set "run.output=$TMP/guy" --set checkpoint.every=2
for file in rle mc; do
    expect_equal "$file has the author" "$(grep '^#[NOC] [^EPHC]' "$TMP/guy/cells-0000000004.$file")" \
        $'#N Glider\n#O Richard K. Guy\n#C a ship'
done
for file in "$TMP"/guy/cells-0000000004.{rle,mc,png,vti}; do
    expect "${file##*.} has the author" grep -qaF 'Richard K. Guy' "$file"
    expect "${file##*.} has the name of the input file" grep -qaF 'file = guy.rle' "$file"
    expect_not "${file##*.} has no folder" grep -qaF "$TMP" "$file"
    expect_not "${file##*.} has no seed, because nothing is random" grep -qa 'Seed' "$file"
done
run "$ENGINE" resume "$TMP/guy" --quiet --set run.steps=6
expect 'a resumed run keeps them' grep -qF '#O Richard K. Guy' "$TMP/guy/cells-0000000006.rle"

# The rule of a file: headers and notes have its name. The section of a plugin that does not run decides nothing.
if [ -e "$BUILD/plugins/ruletable.so" ]; then
    printf '@RULE Own\n@TABLE\nn_states:2\nneighborhood:Moore\nsymmetries:permute\n' >"$TMP/folder/Own.rule"
    printf '[run]\nplugin = ruletable\nsteps = 2\n[grid]\nsize = 9 9\n[output]\nevery = 1\n' >"$TMP/own.ini"
    printf '[init]\nfile = folder/guy.rle\n[larger-than-life]\nrule = /home/guy/rules\n' >>"$TMP/own.ini"
    for path in "$TMP/folder/Own.rule" folder/Own.rule; do
        expect_status 0 "$ENGINE" run "$TMP/own.ini" --quiet --force --set "run.output=$TMP/own" --set \
            "ruletable.rule=$path" --set 'output.formats=rle mc png apng gif vti cells life105 life106 mcl'
        expect_equal "${path/#$TMP/TMP}: no folder" \
            "$(grep -laF -e "$TMP" -e folder/ -e /home/guy "$TMP"/own/cells*)" ''
        expect_equal 'the name in a header' "$(grep -ao 'rule = Own:T9,9' "$TMP/own/cells-0000000002.rle")" 'rule = Own:T9,9'
        for format in rle mc png vti mcl life105; do
            expect "the name in $format" grep -qa 'rule = Own$' "$TMP/own/cells-0000000002.$format"
        done
    done
    run "$ENGINE" run "$TMP/own/config.ini" --quiet --force --set "run.output=$TMP/again"
    expect_same "$TMP/own/cells-0000000002.rle" "$TMP/again/cells-0000000002.rle"
fi
run "$ENGINE" report "$TMP/guy"
expect 'the configuration in a report has no folder' grep -qxF 'file = guy.rle' "$TMP/guy/report.html"
if [ -e "$BUILD/plugins/generations.so" ]; then
    go brain --set run.plugin=generations --set generations.rule=/2/3
    run "$ENGINE" report "$TMP/brain"
    expect 'but a rule with slashes' grep -qxF 'rule = /2/3' "$TMP/brain/report.html"
fi

# A text beyond ASCII, and one with dashes, which XML comments cannot have.
cp configs/patterns/glider.rle "$TMP/gleiter--ö.rle"
go odd --set 'output.formats=png vti rle' --set init.source=file --set "init.file=gleiter--ö.rle" \
    --set 'grid.size=20 10'
expect 'a .png has UTF-8 as iTXt' perl -0777 -ne 'exit !/iTXtConfig\0{5}[^\0]*gleiter--ö/' \
    "$TMP/odd/cells-0000000004.png"
expect 'dashes are parted in XML' perl -0ne 'exit !(/<!--\n(.*?)-->\n<VTKFile/s && $1 !~ /--/)' \
    "$TMP/odd/cells-0000000004.vti"

# A path whose bytes are not UTF-8: texts in files are UTF-8, and XML has no control characters.
utf8() { # utf8 FILE [PERL]: the file, or what the expression takes from its text $_, is UTF-8
    perl -MEncode -0777 \
        -e 'open my $f, "<:raw", $ARGV[0] or die; $_ = <$f>; $_ = eval $ARGV[1] if $ARGV[1]; die unless length;
        exit !defined eval { decode("UTF-8", $_, Encode::FB_CROAK) }' "$@"
}
latin=$TMP/latin/cells-0000000004
cp configs/patterns/glider.rle "$TMP/gleiter-"$'\xf6.rle'
go latin --set 'output.formats=png vti rle' --set init.source=file --set "init.file=gleiter-"$'\xf6.rle' \
    --set 'grid.size=20 10'
expect 'the comment of a .vti is UTF-8' utf8 "$latin.vti" '/<!--(.*?)-->/s && $1'
expect 'so is the text of a .png' utf8 "$latin.png" \
    '$at = index $_, "iTXtConfig"; substr $_, $at + 15, unpack("N", substr $_, $at - 4, 4) - 11'
expect 'and the whole .rle' utf8 "$latin.rle"
expect 'which has the name' grep -qF gleiter- "$latin.rle"
# Names of files that are not UTF-8. What JSON, XML and HTML hold is UTF-8; config.ini keeps the name, for resume.
latin=$TMP/$'caf\xe9'
mkdir "$latin"
cp configs/patterns/glider.rle "$latin/glider.rle"
run "$ENGINE" run "$TMP/good.ini" --quiet --json --set "run.output=$latin/out" --set 'output.formats=vti snapshot png' \
    --set init.source=file --set "init.file=$latin/glider.rle" --set 'grid.size=20 10' --set checkpoint.every=2
is_utf8() {
    perl -MEncode -0777 -ne 'exit !eval { Encode::decode("UTF-8", $_, Encode::FB_CROAK); 1 }'
}
expect_equal 'such a folder is no error' "$status" 0
expect 'the test knows what is UTF-8' sh \
    -c '! printf "caf\351" | perl -MEncode -0777 -ne "exit !eval { Encode::decode(q{UTF-8}, \$_, Encode::FB_CROAK); 1 }"'
is_utf8 <"$TMP/stdout" && ok '--json is UTF-8' || not_ok '--json is UTF-8'
is_utf8 <"$latin/out/summary.json" && ok 'summary.json is UTF-8' || not_ok 'summary.json is UTF-8'
expect 'and has the name as far as it can' grep -q $'caf\xef\xbf\xbd/out' "$latin/out/summary.json"
is_utf8 < <(sed '/<AppendedData/,$d' "$latin/out/cells-0000000004.vti") && ok 'XML is UTF-8' || not_ok 'XML is UTF-8'
is_utf8 < <(zcat "$latin/out/checkpoint-0000000004.snapshot" | sed '/^}$/q') && ok "a checkpoint's header is UTF-8" ||
    not_ok "a checkpoint's header is UTF-8"
run "$ENGINE" report "$latin/out"
is_utf8 <"$latin/out/report.html" && ok 'a report is UTF-8' || not_ok 'a report is UTF-8'
run "$ENGINE" resume "$latin/out" --quiet --set run.steps=6
expect_equal 'and the run can be resumed' "$status $(json "$latin/out/summary.json" '{step}')" '0 6'

# UTF-8 in a path and in a comment. json-c 0.18 reads such a text, unless it is asked to be strict.
green=$TMP/grün
mkdir "$green"
{ echo '# für die Übung: 20 × 10'; cat "$TMP/good.ini"; } >"$green/€.ini"
expect_status 0 "$ENGINE" run "$green/€.ini" --quiet --set "run.output=$green/out" --set output.formats=snapshot \
    --set checkpoint.every=2
expect_status 0 "$ENGINE" resume "$green/out" --quiet --set run.steps=6
expect_stderr_hasnt damaged
expect_equal 'the run went on' "$(json "$green/out/summary.json" '{step}')" 6
expect_status 0 "$ENGINE" report "$green/out"
expect_status 0 "$ENGINE" convert "$green/out/cells-0000000004.snapshot" "$green/cells.npy"

# ---- A result says what it depends on, also what nobody has set
run "$ENGINE" run "$TMP/good.ini" --quiet --json --set "run.output=$TMP/all" --set output.formats=vti \
    --plugins "$BUILD/plugins"
cp "$TMP/stdout" "$TMP/all.json"
expect_equal '--json has the seed' "$(json "$TMP/all.json" '{seed}')" 42
expect_equal 'and the parameters at their defaults' "$(json "$TMP/all.json" '{parameters}{rule}') $(json \
    "$TMP/all.json" '{parameters}{instructions}')" 'B3/S23 auto'
expect_equal 'and the folders of plugins' "$(json "$TMP/all.json" '{plugin_folders}[0]')" "$(realpath "$BUILD/plugins")"
expect_equal 'and the configuration, which is config.ini' "$(json "$TMP/all.json" '{config}')" \
    "$(tail -n +3 "$TMP/all/config.ini" | sed -e :a -e '/^\n*$/{$d;N;ba' -e '}')"
for line in 'seed = 42' 'density = 0.5' 'rule = B3/S23' 'instructions = auto'; do
    expect "config.ini has '$line'" grep -qxF "$line" "$TMP/all/config.ini"
done
expect "and Config in a file, without tuning parameters" sh \
    -c "grep -qaF 'rule = B3/S23' '$TMP/all/cells-0000000004.vti' &&
    ! grep -qaF 'instructions = ' '$TMP/all/cells-0000000004.vti'"
run "$ENGINE" run "$TMP/all/config.ini" --quiet --json --force
expect_equal 'config.ini repeats the run' "$(json "$TMP/stdout" '{hash}')" "$(json "$TMP/all.json" '{hash}')"

# Particles and tables.
if [ -e "$BUILD/plugins/nbody.so" ]; then
    run "$ENGINE" run configs/nbody-texts.ini --set run.steps=1 --set particles.count=10 --set output.formats=xyz \
        --quiet \
        --set "run.output=$TMP/bodies"
    expect 'the comment of .xyz' \
        grep -qE '^Properties=.* step=1 Engine="[^"]*" Plugin="nbody [^"]*" Seed="1" Hash="[0-9a-f]{32}"$' \
        "$TMP/bodies/position-0000000001.xyz"
    run "$ENGINE" convert "$TMP/bodies/position-0000000001.xyz" "$TMP/bodies.npy"
    expect_equal 'which is read back' "$status" 0
fi
if [ -e "$BUILD/plugins/rdf.so" ]; then
    run "$ENGINE" run configs/rdf-ideal.ini --set output.formats=svg --quiet --set "run.output=$TMP/rdf"
    expect 'the description of .svg' perl -0ne 'exit !(/<desc>\n.*\nHash: [0-9a-f]{32}\n.*r_max = 10\n.*<\/desc>/s)' \
        "$TMP/rdf/rdf.svg"
fi

# Films.
expect_equal 'a film is one file' "$(cd "$TMP/one" && ls ./*.apng)" ./cells.apng
expect_equal 'listed once' "$(go three --set output.formats=apng --set output.every=1; json "$TMP/stdout" '{outputs}' \
    | grep -c apng)" 1
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
