#!/bin/bash
# engine resume: a run that was stopped, was killed or ended early gives the same files as an uninterrupted run.
. "$(dirname "$0")/common"

# configure NAME STEPS OUTPUT-LINES OTHER-LINES…: $TMP/NAME.ini
configure() {
    local name=$1 steps=$2
    shift 2
    printf '[run]\nsteps = %s\noutput = %s\n' "$steps" "$TMP/$name" >"$TMP/$name.ini"
    printf '%s\n' "$@" >>"$TMP/$name.ini"
}

# whole NAME: the uninterrupted run, kept in $TMP/NAME-whole.
whole() {
    expect_status 0 "$ENGINE" run "$TMP/$1.ini" --quiet
    mv "$TMP/$1" "$TMP/$1-whole"
}

# expect_like_whole WHAT NAME [told]: every file of that run, byte for byte, but its summary's times. Where the run was
# told another configuration on the way: but those that say it, too.
expect_like_whole() {
    local difference
    difference=$(diff -r -x summary.json ${3:+-x config.ini -x '*.snapshot'} "$TMP/$2-whole" "$TMP/$2" 2>&1
        diff <(cd "$TMP/$2-whole" && ls -A) <(cd "$TMP/$2" && ls -A)
        for part in '{hash}' '{outputs}' '{metrics}' '{step}'; do
            diff <(json "$TMP/$2-whole/summary.json" "$part") <(json "$TMP/$2/summary.json" "$part")
        done)
    if [ -z "$difference" ]; then ok "$1: all files as without"; else not_ok "$1: all files as without" \
        "$(head -n 20 <<<"$difference")"; fi
    rm -rf "${TMP:?}/$2"
}

# in_parts NAME STEP: runs to that step, and goes on from there to the end.
in_parts() {
    local steps
    steps=$(sed -n 's/^steps = //p' "$TMP/$1.ini" | head -n 1)
    expect_status 0 "$ENGINE" run "$TMP/$1.ini" --quiet --set "run.steps=$2"
    expect_status 0 "$ENGINE" resume "$TMP/$1" --quiet --set "run.steps=$steps" "${@:3}"
    expect_stderr_hasnt checkpoint # none is refused
}

# killed NAME TIMES: kills the run at random moments and resumes it, so many times.
killed() {
    local i
    for ((i = 0; i < $2; i++)); do
        if [ -e "$TMP/$1/config.ini" ]; then
            "$ENGINE" resume "$TMP/$1" --quiet 2>/dev/null &
        else
            "$ENGINE" run "$TMP/$1.ini" --quiet --force 2>/dev/null &
        fi
        sleep 0.$((RANDOM % 4))$((RANDOM % 9 + 1))
        kill -KILL $! 2>/dev/null
        wait $! 2>/dev/null
    done
    [ -e "$TMP/$1/config.ini" ] || "$ENGINE" run "$TMP/$1.ini" --quiet --force
    expect_status 0 "$ENGINE" resume "$TMP/$1" --quiet
}

# ---- The same files, whatever happens
configure life2d 600 '[output]' 'every = 20' 'metrics_every = 3' 'hash_every = 7' \
    'formats = npy vti png apng rle snapshot' '[checkpoint]' 'every = 30' 'keep = 5' \
    '[grid]' 'size = 333 200' '[init]' 'source = random'
sed -i '2i plugin = life2d-bit' "$TMP/life2d.ini"
configure life3d 200 '[output]' 'every = 10' 'formats = npy vti' '[checkpoint]' 'every = 15' \
    '[grid]' 'size = 40 33 21' '[init]' 'source = random' 'density = 0.2'
sed -i '2i plugin = life3d-packed' "$TMP/life3d.ini"
configure leapfrog 400 '[output]' 'every = 40' 'metrics_every = 7' 'hash_every = 11' 'formats = npy xyz dcd png apng csv svg' \
    '[checkpoint]' 'every = 60' \
    '[particles]' 'count = 500' '[init]' 'source = plummer' '[analyse]' 'plugin = rdf' 'from = 100' 'every = 9' \
    '[rdf]' 'r_max = 2' 'volume = 5' '[nbody]' 'dt = 0.01' 'softening = 0.05'
sed -i '2i plugin = nbody' "$TMP/leapfrog.ini"
configure hermite 200 '[output]' 'every = 40' 'metrics_every = 7' 'formats = npy' '[checkpoint]' 'every = 30' \
    '[particles]' 'count = 300' '[init]' 'source = galaxies' '[nbody]' 'dt = 0.01' 'integrator = hermite' \
    'precision = double' \
    'softening = 0.05'
sed -i '2i plugin = nbody' "$TMP/hermite.ini"
sed 's/^integrator = hermite/&\ntime_step = adaptive/; s/^dt = .*/dt = 0.04/; s#/hermite#/adaptive#' \
    "$TMP/hermite.ini" >"$TMP/adaptive.ini"
configure transpose 101 '[output]' 'every = 5' 'hash_every = 2' 'formats = npy' '[checkpoint]' 'every = 11' 'keep = 1' \
    '[matrix]' 'rows = 300' 'columns = 217' 'element = uint16' '[init]' 'source = random'
sed -i '2i plugin = transpose' "$TMP/transpose.ini"

declare -A middle=([life2d]=120 [life3d]=60 [leapfrog]=120 [hermite]=120 [adaptive]=120 [transpose]=55)
for name in life2d life3d leapfrog hermite adaptive transpose; do
    plugin=$(sed -n 's/^plugin = //p' "$TMP/$name.ini" | head -n 1)
    [ -e "$BUILD/plugins/$plugin.so" ] || { skip "$name" "$plugin was not built" && continue; }
    whole "$name"
    in_parts "$name" "${middle[$name]}"
    expect_like_whole "$name in two parts" "$name" told
    killed "$name" 4
    expect_like_whole "$name, killed" "$name"
done

# ---- An analysis of the final state alone looks at the final state alone
if [ -e "$BUILD/plugins/nbody.so" ] && [ -e "$BUILD/plugins/rdf.so" ]; then
    sed -i -e 's/^from = .*//' -e 's/^every = 9/every = 0/' "$TMP/leapfrog.ini"
    rm -rf "$TMP/leapfrog-whole"
    whole leapfrog
    in_parts leapfrog 120
    expect_equal 'one frame' "$(json "$TMP/leapfrog/summary.json" '{analysis}{frames}')" 1
    expect_like_whole 'an analysis of the final state' leapfrog told
fi

# ---- [output] fields may change: every file that was written is listed, and no other
if [ -e "$BUILD/plugins/nbody.so" ]; then
    configure fields 20 'plugin = nbody' '[output]' 'every = 5' 'formats = npy dcd' 'fields = position' '[checkpoint]' \
        'every = 5' \
        '[particles]' 'count = 10' '[init]' 'source = plummer'
    expect_status 0 "$ENGINE" run "$TMP/fields.ini" --quiet
    expect_status 0 "$ENGINE" resume "$TMP/fields" --quiet --set run.steps=30 --set output.fields=velocity \
        --set output.formats=npy
    expect_equal 'the fields of each part' "$(cd "$TMP/fields" && echo *.npy *.dcd)" \
        "$(printf 'position-%010d.npy ' 0 5 10 15 20; printf 'velocity-%010d.npy ' 25 30; echo position.dcd)"
    expect_status 0 "$ENGINE" resume "$TMP/fields" --quiet --set run.steps=35
    expect_equal 'all are listed' "$(json "$TMP/fields/summary.json" '{outputs}' | grep -v metrics | sort)" \
        "$(find "$TMP/fields" -name '*.npy' -o -name '*.dcd' | sort)"
    rm -rf "$TMP/fields"
fi

# ---- Frames of a file go on where they stood
perl -e 'srand 5; for my $frame (1 .. 14) { print "20\n\n"; print join(" ", "X", map { rand 10 } 1 .. 3), "\n" for 1 .. 20 }' \
    >"$TMP/frames.xyz"
configure frames 14 'plugin = rdf' '[output]' 'every = 1' 'formats = csv npy' '[checkpoint]' 'every = 3' \
    '[init]' 'file = frames.xyz' '[particles]' 'box = 10 10 10' '[rdf]' 'r_max = 4'
if [ -e "$BUILD/plugins/rdf.so" ]; then
    whole frames
    for step in 1 2 7; do
        in_parts frames "$step"
        expect_like_whole "frames, from $step" frames
    done
    in_parts frames 7
    sed 's/^X [0-9]/X 5/' "$TMP/frames.xyz" >"$TMP/others.xyz"
    expect_status 0 "$ENGINE" run "$TMP/frames.ini" --quiet --force --set run.steps=7
    expect_status 3 "$ENGINE" resume "$TMP/frames" --set run.steps=14 --set "init.file=$TMP/others.xyz"
    expect_stderr_has 'differs from the frame that the run has already read'
    mv "$TMP/frames.xyz" "$TMP/moved.xyz"
    expect_status 3 "$ENGINE" resume "$TMP/frames" --set run.steps=14
    expect_status 0 "$ENGINE" resume "$TMP/frames" --quiet --set run.steps=14 --set "init.file=$TMP/moved.xyz"
    expect_like_whole 'frames, from another place' frames told
else
    skip 'frames' 'rdf was not built'
fi

# ---- Another implementation, other threads, other steps and outputs
configure other 120 'plugin = life2d-bit' '[output]' 'every = 10' 'formats = npy vti' '[checkpoint]' 'every = 20' \
    '[grid]' 'size = 100 60' '[init]' 'source = random' '[life2d-bit]' 'rule = B36/S23'
whole other
in_parts other 40 --set run.implementation=cpu-serial --set run.threads=1 --set life2d-bit.steps_per_pass=1
expect_stderr_hasnt engine
expect_like_whole 'by another implementation' other told

# A checkpoint between those that are due by steps goes when the next one comes.
configure between 60 'plugin = life2d-bit' '[output]' 'every = 10' '[checkpoint]' 'every = 20' '[grid]' \
    'size = 100 60' \
    '[init]' 'source = random'
whole between
for step in 10 30 50; do
    in_parts between "$step"
    expect_equal "the checkpoints of a run that was stopped at $step" "$(cd "$TMP/between" && echo checkpoint-*)" \
        'checkpoint-0000000040.snapshot checkpoint-0000000060.snapshot'
    expect_like_whole "stopped at $step" between told
done
rm -rf "$TMP/between-whole"
expect_status 0 "$ENGINE" run "$TMP/between.ini" --quiet --set run.steps=10
expect_status 0 "$ENGINE" resume "$TMP/between" --quiet --set run.steps=15
expect_equal 'two stops before the first one that is due: both are kept' "$(cd "$TMP/between" && echo checkpoint-*)" \
    'checkpoint-0000000010.snapshot checkpoint-0000000015.snapshot'
expect_status 0 "$ENGINE" resume "$TMP/between" --quiet --set run.steps=20
expect_equal 'until it comes' "$(cd "$TMP/between" && echo checkpoint-*)" checkpoint-0000000020.snapshot
rm -r "$TMP/between"
expect_status 0 "$ENGINE" run "$TMP/between.ini" --quiet --set run.steps=50
expect_equal 'a run that was stopped has two' "$(cd "$TMP/between" && echo checkpoint-*)" \
    'checkpoint-0000000040.snapshot checkpoint-0000000050.snapshot'
rm -r "$TMP/between"

# ---- Every key of [run] that changes no result can change
configure keys 20 'plugin = life2d-bit' '[grid]' 'size = 64 64' '[init]' 'source = random' \
    '[output]' 'every = 10' '[checkpoint]' 'every = 5'
whole keys
for set in run.patience=10 run.transport=host run.margin=2 life2d-bit.steps_per_pass=8; do
    in_parts keys 10 --set "$set"
    expect_like_whole "$set" keys told
done
rm -rf "$TMP/keys-whole"

# ---- What computes other bits is not used without a word
if [ -e "$BUILD/plugins/nbody.so" ]; then
    configure bits 40 'plugin = nbody' '[checkpoint]' 'every = 10' '[particles]' 'count = 50' '[init]' \
        'source = plummer' \
        '[nbody]' 'instructions = plain'
    expect_status 0 "$ENGINE" run "$TMP/bits.ini" --quiet
    for set in run.implementation=cpu-serial nbody.form=pairs; do
        expect_status 2 "$ENGINE" resume "$TMP/bits" --set run.steps=60 --set "$set"
        expect_stderr_has "${set%%=*}: was "
        expect_stderr_has "and is ${set#*=} now, which gives other bits"
        expect_stderr_has '--set checkpoint.bits=any'
    done
    expect_equal 'and nothing has changed' "$(grep -cE '^(form = pairs|steps = 60)' "$TMP/bits/config.ini")" 0
    expect_status 2 "$ENGINE" resume "$TMP/bits" --set run.steps=60 --set nbody.softening=0.1
    expect_stderr_has 'nbody.softening: a resumed run cannot change this key'
    expect_status 0 "$ENGINE" resume "$TMP/bits" --quiet --set run.steps=60 --set run.threads=1 --set nbody.form=plain
    expect_stderr_hasnt engine # auto had chosen plain too
    if "$ENGINE" run "$TMP/bits.ini" --quiet --json --set nbody.instructions=auto --set run.steps=1 \
        --set "run.output=$TMP/widest" | grep -q '"instructions":"plain"'; then
        skip 'another instruction set' 'this machine has no other than plain'
    else
        expect_status 2 "$ENGINE" resume "$TMP/bits" --set run.steps=80 --set nbody.instructions=auto
        expect_stderr_has 'nbody.instructions: was plain when the checkpoint was written, and is avx'
        expect_status 0 "$ENGINE" resume "$TMP/bits" --set run.steps=80 --set nbody.instructions=auto \
            --set checkpoint.bits=any
        expect_stderr_has 'nbody.instructions: was plain when the checkpoint was written, and is avx'
        expect_stderr_has 'continues from step 60'
        before=$(json "$TMP/bits/summary.json" '{computed_before}[0]{nbody.instructions}')
        expect_equal 'the result says so' "$before $(json "$TMP/bits/summary.json" '{computed_before}[0]{until}')" \
            'plain 60'
        expect_status 0 "$ENGINE" resume "$TMP/bits" --quiet --set run.steps=100
        expect_equal 'for good' "$(json "$TMP/bits/summary.json" '{computed_before}[0]{until}')" 60
    fi
    rm -r "$TMP/bits"
else
    skip 'other bits' 'nbody was not built'
fi

# Checkpoints that are compressed go on with others that are not, and these again with those.
expect_status 0 "$ENGINE" run "$TMP/other.ini" --quiet --set run.steps=40
deflated=$(stat -c %s "$TMP/other/checkpoint-0000000040.snapshot")
expect_status 0 "$ENGINE" resume "$TMP/other" --quiet --set run.steps=80 --set checkpoint.compression=none
stored=$(stat -c %s "$TMP/other/checkpoint-0000000080.snapshot")
expect "stored they are longer: $deflated, $stored bytes" test "$deflated" -lt "$stored"
expect 'and gzip reads them' sh -c "gzip -t <'$TMP/other/checkpoint-0000000080.snapshot'"
expect_status 0 "$ENGINE" resume "$TMP/other" --quiet --set run.steps=120 --set checkpoint.compression=deflate
expect_like_whole 'stored and compressed' other told
expect_status 2 "$ENGINE" check "$TMP/other.ini" --set checkpoint.compression=lzma
expect_stderr_has 'deflate, none'
expect_status 0 "$ENGINE" run "$TMP/other.ini" --quiet --set run.steps=40
expect_status 0 "$ENGINE" resume "$TMP/other" --quiet --set run.steps=80 --set output.every=20
expect_status 0 "$ENGINE" resume "$TMP/other" --quiet --set run.steps=120 --set output.formats=vti --set output.every=40
expect_equal 'the list of a series has all of them, each once' \
    "$(sed -n 's/.*timestep="\([0-9]*\)".*/\1/p' "$TMP/other/cells.pvd" | tr '\n' ' ')" \
    '0 10 20 30 40 60 80 120 '
expect_equal 'and the hash is the same' "$(json "$TMP/other/summary.json" '{hash}')" \
    "$(json "$TMP/other-whole/summary.json" '{hash}')"
expect_equal 'metrics.csv has no step twice' "$(cut -d, -f1 "$TMP/other/metrics.csv" | tr '\n' ' ')" \
    'step 0 10 20 30 40 60 80 120 '

# A run that was killed does not go back. Rows of metrics are due between its steps.
expect_status 0 "$ENGINE" run "$TMP/between.ini" --quiet --set output.metrics_every=20 --set run.steps=600
rm "$TMP/between/summary.json"
expect_status 2 "$ENGINE" resume "$TMP/between" --set run.steps=100
expect_stderr_has 'the run has already reached step 600; give a larger number'
rm -r "$TMP/between"

# ---- At the end
expect_status 0 "$ENGINE" resume "$TMP/other" --json
expect_stderr_has 'the run has ended at step 120'
expect_equal '--json: the summary again' "$(json "$TMP/stdout" '{hash}')" \
    "$(json "$TMP/other-whole/summary.json" '{hash}')"
expect_status 2 "$ENGINE" resume "$TMP/other" --set run.steps=100
expect_stderr_has 'has already reached step 120'
cp "$TMP/other/summary.json" "$TMP/kept" && rm "$TMP/other/summary.json"
expect_status 2 "$ENGINE" resume "$TMP/other" --set run.steps=100
expect_equal 'and nothing has changed' "$(grep "^steps =" "$TMP/other/config.ini")" 'steps = 120'
cp "$TMP/kept" "$TMP/other/summary.json"

# ---- What may not change, and what is no run
for set in life2d-bit.rule=B3/S23 grid.size='100 61' init.seed=43 init.density=0.4 init.source=defaults \
    run.plugin=life2d-lut \
    run.output=elsewhere run.plugin=nbody particles.count=3; do
    expect_status 2 "$ENGINE" resume "$TMP/other" --set "$set"
    expect_stderr_has "engine: --set ${set%%=*}: a resumed run "
done
expect_status 2 "$ENGINE" resume "$TMP/other" --set run.output=elsewhere
expect_stderr_has "copy or move the folder $TMP/other, and resume the run in the new place"
# The name of the folder stays as it was, however the command line spells it, and so do all files that hold it.
for members in 0 2; do
    words=(run "$TMP/good.ini" --quiet --set "run.output=$TMP/spelled" --set checkpoint.every=2 --set output.every=2)
    [ $members = 0 ] || words+=(--ensemble $members)
    run "$ENGINE" "${words[@]}" --set run.steps=8
    mv "$TMP/spelled" "$TMP/spelled-whole"
    if [ $members = 0 ]; then
        run "$ENGINE" "${words[@]}"
    else
        cp -r "$TMP/spelled-whole" "$TMP/spelled" && rm -r "$TMP/spelled/0002" && sed -i '/^2,/d' "$TMP/spelled"/*.csv
    fi
    (cd "$TMP" && "$ENGINE" resume ./spelled/../spelled --quiet $([ $members != 0 ] || echo --set run.steps=8)) >/dev/null 2>&1
    expect "another name of the folder, $members members" diff -r -x '*.json' -x ensemble.csv "$TMP/spelled-whole" "$TMP/spelled"
    rm -r "$TMP"/spelled*
done
cp -r "$TMP/other" "$TMP/elsewhere"
expect_status 0 "$ENGINE" resume "$TMP/elsewhere" --quiet --set run.steps=130
expect 'a copied folder goes on in its new place' test -s "$TMP/elsewhere/checkpoint-0000000130.snapshot"
rm -r "$TMP/elsewhere"
expect_status 0 "$ENGINE" resume --help
expect_stdout_has '[bench]'
sed 's/^rule = .*/rule = B3\/S23/' "$TMP/other/config.ini" >"$TMP/edited" && cp "$TMP/edited" "$TMP/other/config.ini"
expect_status 2 "$ENGINE" resume "$TMP/other" --set run.steps=130
expect_stderr_has '[life2d-bit] rule: was B36/S23'
mkdir "$TMP/nothing"
expect_status 3 "$ENGINE" resume "$TMP/nothing"
expect_stderr_has 'holds no run'
expect_status 3 "$ENGINE" resume "$TMP/missing"
expect_equal 'nothing is left in a folder that is no run' "$(ls -A "$TMP/nothing")" ''
for key in density source; do
    expect_status 0 "$ENGINE" run "$TMP/other.ini" --quiet --force --set init.density=0.5
    sed -i -e "s/^density = .*/density = $([ $key = density ] && echo 0.25 || echo 0.5)/" \
        -e "s/^source = .*/source = $([ $key = source ] && echo defaults || echo random)/" "$TMP/other/config.ini"
    expect_status 2 "$ENGINE" resume "$TMP/other" --set run.steps=130
    expect_stderr_has "[init] $key: was "
done
rm -r "$TMP/other"

# ---- A checkpoint names what identifies the run by keys, never by the sentences of messages
# identity FILE: the keys of a checkpoint's identity
identity() {
    zcat "$1" 2>/dev/null | perl -MJSON::PP -0777 -ne 's/\A.*?\n//; my ($header) = JSON::PP->new->utf8->decode_prefix($_);
        print join " ", sort keys %{ decode_json($header->{extra})->{identity} // {} }'
}
if [ -e "$BUILD/plugins/nbody.so" ] && [ -e "$BUILD/plugins/rdf.so" ]; then
    configure keys 4 'plugin = nbody' '[checkpoint]' 'every = 4' '[particles]' 'count = 20' '[init]' 'source = plummer' \
        '[analyse]' 'plugin = rdf' '[rdf]' 'r_max = 2' 'volume = 5'
    expect_status 0 "$ENGINE" run "$TMP/keys.ini" --quiet
    keys=" $(identity "$TMP/keys/checkpoint-0000000004.snapshot") "
    for key in run.plugin init.source init.seed particles.box nbody.softening analyse.plugin analyse.from_every \
        rdf.r_max size:position size:counts; do
        expect "the key $key" test "${keys#* "$key" }" != "$keys"
    done
    expect_equal 'no key has brackets' "$(tr -cd '[]' <<<"$keys")" ''
    cp "$TMP/keys/config.ini" "$TMP/kept"
    sed 's/^plugin = rdf/&\nevery = 3/' "$TMP/kept" >"$TMP/keys/config.ini"
    expect_status 2 "$ENGINE" resume "$TMP/keys" --set run.steps=8
    expect_stderr_has '[analyse] from and every: was from 0 every 0 when the checkpoint was written, and is from 0 every 3 now'
    sed 's/^count = 20/count = 30/' "$TMP/kept" >"$TMP/keys/config.ini"
    expect_status 2 "$ENGINE" resume "$TMP/keys" --set run.steps=8
    expect_stderr_has 'size of field position: was 20 x 1 x 1, 3 of float32 when the checkpoint was written'
    rm -r "$TMP/keys"
fi

# ---- Damage
flip() { # flip FILE: other bits in the middle of the file
    printf 'damaged!' | dd of="$1" bs=1 seek=$(($(stat -c %s "$1") / 2)) conv=notrunc 2>/dev/null
}
expect_status 0 "$ENGINE" run "$TMP/other.ini" --quiet --set run.steps=80
expect_equal 'the last two are kept' "$(cd "$TMP/other" && echo checkpoint-*)" \
    'checkpoint-0000000060.snapshot checkpoint-0000000080.snapshot'
flip "$TMP/other/checkpoint-0000000080.snapshot"
expect_status 0 "$ENGINE" resume "$TMP/other" --set run.steps=120
expect_stderr_has checkpoint-0000000080.snapshot
expect_stderr_has 'set aside as damaged-checkpoint-0000000080.snapshot'
expect_stderr_has 'continues from step 60'
expect 'the damaged one is kept under another name' test -s "$TMP/other/damaged-checkpoint-0000000080.snapshot"
rm "$TMP/other/damaged-checkpoint-0000000080.snapshot"
expect_like_whole 'from an older checkpoint' other
expect_status 0 "$ENGINE" run "$TMP/other.ini" --quiet --set run.steps=80
flip "$TMP/other/checkpoint-0000000080.snapshot"
: >"$TMP/other/checkpoint-0000000060.snapshot"
for i in 1 2; do # the second time the names alone tell that there were checkpoints
    expect_status 3 "$ENGINE" resume "$TMP/other" --set run.steps=120
    expect_stderr_has "begin at step 0 with: engine run --force --set run.output=$TMP/other $TMP/other/config.ini"
done
expect_equal 'all damaged: both are kept' "$(cd "$TMP/other" && echo *checkpoint-*)" \
    'damaged-checkpoint-0000000060.snapshot damaged-checkpoint-0000000080.snapshot'
expect_equal 'and the other files are as they were' "$(wc -l <"$TMP/other/metrics.csv")" 10
expect_status 0 "$ENGINE" run --force --set "run.output=$TMP/other" "$TMP/other/config.ini" --set run.steps=120
expect_like_whole 'from the beginning, on request' other

# ---- What cannot be read is not damaged, and stays
unreadable() { # unreadable WHAT: resume refuses, says WHAT, and leaves every file as it is
    local before
    before=$(contents)
    expect_status 6 "$ENGINE" resume "$TMP/other" --quiet --set run.steps=120
    expect_stderr_has "$1"
    expect_equal "$1: nothing has changed" "$(contents)" "$before"
}
contents() {
    find "$TMP/other" -mindepth 1 -printf '%P %y %s\n' | sort
    find "$TMP/other" -type f -exec sha256sum {} + | sort
}
expect_status 0 "$ENGINE" run "$TMP/other.ini" --quiet --set run.steps=80 --force
mv "$TMP/other/checkpoint-0000000080.snapshot" "$TMP/kept"
ln -s "$TMP/kept" "$TMP/other/checkpoint-0000000080.snapshot"
unreadable 'checkpoint-0000000080.snapshot: is a symbolic link'
rm "$TMP/other/checkpoint-0000000080.snapshot"
mkdir "$TMP/other/checkpoint-0000000080.snapshot"
unreadable 'checkpoint-0000000080.snapshot: is not a regular file'
rmdir "$TMP/other/checkpoint-0000000080.snapshot"
mkfifo "$TMP/other/checkpoint-0000000080.snapshot"
unreadable 'checkpoint-0000000080.snapshot: is not a regular file'
if [ "$(id -u)" != 0 ]; then # root reads everything; tests/faults/calls.sh makes these calls fail
    mv -f "$TMP/kept" "$TMP/other/checkpoint-0000000080.snapshot"
    chmod 000 "$TMP/other"/checkpoint-*
    expect_status 6 "$ENGINE" resume "$TMP/other" --quiet --set run.steps=120
    expect_stderr_has 'checkpoint-0000000080.snapshot: cannot be opened: Permission denied'
    chmod 644 "$TMP/other"/checkpoint-*
    chmod 300 "$TMP/other"
    expect_status 6 "$ENGINE" resume "$TMP/other" --quiet --set run.steps=120
    chmod 755 "$TMP/other"
    expect_status 0 "$ENGINE" resume "$TMP/other" --quiet --set run.steps=120
    expect_like_whole 'after the permissions were put right' other
fi
rm -r "$TMP/other"

# ---- Rows of metrics that the checkpoint does not know

# Checkpoints of the run and of its analysis belong together: to the same step, and to the same run.
if [ -e "$BUILD/plugins/nbody.so" ] && [ -e "$BUILD/plugins/rdf.so" ]; then
    configure pair 80 'plugin = nbody' '[checkpoint]' 'every = 20' '[particles]' 'count = 60' '[init]' \
        'source = plummer' \
        '[analyse]' 'plugin = rdf' 'every = 9' '[rdf]' 'r_max = 2' 'volume = 5'
    whole pair
    expect_equal "config.ini has the analysis's parameters at their defaults, too" \
        "$(grep -cE '^(between = all|integrator = leapfrog)$' "$TMP/pair-whole/config.ini")" 2
    expect_equal 'and so has the summary' "$(json "$TMP/pair-whole/summary.json" '{analysis}{parameters}{between}')" all
    expect_status 0 "$ENGINE" run "$TMP/pair.ini" --quiet --set init.seed=7 --set "run.output=$TMP/stranger"
    cp -r "$TMP/pair-whole" "$TMP/pair"
    rm "$TMP/pair/summary.json"
    expect_status 0 "$ENGINE" resume "$TMP/pair"
    expect_stderr_has 'continues from step 80'
    expect_like_whole 'an analysis between its frames' pair
    for from in pair-whole/checkpoint-0000000060 stranger/checkpoint-0000000080; do
        cp -r "$TMP/pair-whole" "$TMP/pair"
        rm "$TMP/pair/summary.json"
        cp "$TMP/$from-analysis.snapshot" "$TMP/pair/checkpoint-0000000080-analysis.snapshot"
        expect_status 0 "$ENGINE" resume "$TMP/pair"
        expect_stderr_has checkpoint-0000000080-analysis.snapshot
        expect_stderr_has 'continues from step 60'
        expect 'it is set aside' rm "$TMP/pair/damaged-checkpoint-0000000080-analysis.snapshot" \
            "$TMP/pair/damaged-checkpoint-0000000080.snapshot"
        expect_like_whole "another analysis: $from" pair
    done
fi

# Pipes in the place of files, to which nobody writes, keep nobody waiting.
for name in config.ini summary.json checkpoint-0000000080.snapshot; do
    expect_status 0 "$ENGINE" run "$TMP/other.ini" --quiet --set run.steps=80
    rm "$TMP/other/$name" && mkfifo "$TMP/other/$name"
    run timeout 20 "$ENGINE" resume "$TMP/other" --set run.steps=90
    expect "a pipe as $name" test "$status" -ne 124
    rm -r "$TMP/other"
done

expect_status 0 "$ENGINE" run "$TMP/other.ini" --quiet --set run.steps=80
printf '90,12\n100,1' >>"$TMP/other/metrics.csv"
expect_status 0 "$ENGINE" resume "$TMP/other" --quiet --set run.steps=120
expect_like_whole 'rows of metrics from after the checkpoint, the last one torn' other
expect_status 0 "$ENGINE" run "$TMP/other.ini" --quiet --set run.steps=80
head -n 3 "$TMP/other/metrics.csv" >"$TMP/short" && cp "$TMP/short" "$TMP/other/metrics.csv"
expect_status 6 "$ENGINE" resume "$TMP/other" --quiet --set run.steps=120
expect_stderr_has 'metrics.csv: is not the file that the run wrote'
rm -r "$TMP/other"

# ---- An error on the way leaves the checkpoints, and says so
expect_status 0 "$ENGINE" run "$TMP/other.ini" --quiet --set run.steps=60
mkdir "$TMP/other/cells-0000000090.npy"
expect_status 6 "$ENGINE" resume "$TMP/other" --set run.steps=120
expect_stderr_has "step 80 is saved; to continue: engine resume $TMP/other"
rmdir "$TMP/other/cells-0000000090.npy"
expect_status 0 "$ENGINE" resume "$TMP/other" --quiet
expect_like_whole 'after an error' other

# ---- By time
"$ENGINE" run "$TMP/good.ini" --quiet --set run.steps=1000000000000000 --set "run.output=$TMP/timed" \
    --set checkpoint.seconds=0.3 &
sleep 2
kill -KILL $!
wait $! 2>/dev/null
count=$(cd "$TMP/timed" && ls | grep -c '^checkpoint-.*snapshot$') # three where it was killed before the oldest went
expect 'checkpoints come by time, and two are kept' sh -c "[ $count = 2 ] || [ $count = 3 ]"
step=$(cd "$TMP/timed" && ls checkpoint-*.snapshot | tail -n 1 | tr -dc 0-9 | sed 's/^0*//')
expect_status 0 "$ENGINE" resume "$TMP/timed" --json --quiet --set "run.steps=$((step + 4))"
expect_equal 'it goes on from the last one' "$(json "$TMP/stdout" '{first_step}') $(json "$TMP/stdout" '{steps}')" \
    "$step 4"

# ---- Signals
# stop SIGNAL [SETTING…]: stops a long run in the folder $TMP/long; its exit status in $status.
stop() {
    local signal=$1
    shift
    rm -rf "$TMP/long"
    "$ENGINE" run "$TMP/good.ini" --set run.steps=1000000000000000 --set "run.output=$TMP/long" "$@" 2>"$TMP/stderr" &
    for _ in {1..100}; do
        [ -e "$TMP/long/metrics.csv" ] && break
        sleep 0.05
    done
    sleep 0.3
    kill -"$signal" $!
    wait $! 2>/dev/null
    status=$?
}
for signal in TERM:143 USR1:138 XCPU:152; do
    stop "${signal%:*}" --set "checkpoint.signal=$(sed s/TERM/none/ <<<"${signal%:*}")"
    expect_equal "${signal%:*} stops: status 128 and its number" "$status" "${signal#*:}"
    expect_stderr_has "to continue: engine resume $TMP/long"
    expect_equal 'there is a checkpoint' "$(cd "$TMP/long" && echo checkpoint-*.snapshot | wc -w)" 1
done
stop USR2
expect_equal 'one that was not chosen kills' "$status" 140
stop TERM
step=$(json "$TMP/long/summary.json" '{step}')
expect_status 0 "$ENGINE" resume "$TMP/long" --quiet --set "run.steps=$((step + 3))"
expect_equal 'at the end, where none were asked for, none is left' "$(cd "$TMP/long" && ls -A | sort | tr '\n' ' ')" \
    "$(printf 'cells-%010d.npy config.ini metrics.csv summary.json ' $((step + 3)))"

# ---- Time limits
rm -rf "$TMP/long"
begin=$(date +%s%N)
expect_status 142 "$ENGINE" run "$TMP/good.ini" --set run.steps=1000000000000000 --set "run.output=$TMP/long" \
    --walltime 3s
took=$((($(date +%s%N) - begin) / 1000000))
expect 'before the time is over' test "$took" -lt 3000
expect_stderr_has 'the time is up'
expect_stderr_has "engine resume $TMP/long"
expect 'and saved' test -s "$TMP/long/checkpoint-$(printf %010d "$(json "$TMP/long/summary.json" '{step}')").snapshot"
for time in 3 h 1x -3s '' 1h1h 3m2h 1:2 1:70:00; do
    refused "--walltime '$time'" 2 '--walltime' "$ENGINE" run "$TMP/good.ini" --walltime "$time"
done

# ---- Two runs in one folder
"$ENGINE" run "$TMP/good.ini" --quiet --force --set run.steps=1000000000000000 --set "run.output=$TMP/long" \
    2>/dev/null &
first=$!
for _ in {1..100}; do
    [ -s "$TMP/long/.lock" ] && [ -s "$TMP/long/config.ini" ] && break
    sleep 0.05
done
for verb in 'run --force' resume; do
    case $verb in
    resume) expect_status 6 "$ENGINE" resume "$TMP/long" ;;
    *) expect_status 6 "$ENGINE" run "$TMP/good.ini" --force --set "run.output=$TMP/long" ;;
    esac
    expect_stderr_has "process $first on $(hostname)"
done
kill -KILL $first
wait $first 2>/dev/null
expect 'a killed run leaves its lock, and it holds nobody' test -e "$TMP/long/.lock"
expect_status 0 "$ENGINE" run "$TMP/good.ini" --force --quiet --set "run.output=$TMP/long"
expect_not 'it is gone with the run' test -e "$TMP/long/.lock"

# ---- A new run in an old folder is not the old run
expect_status 0 "$ENGINE" run "$TMP/other.ini" --quiet
expect_status 6 "$ENGINE" run "$TMP/other.ini"
expect_stderr_has 'engine resume'
expect_status 0 "$ENGINE" run "$TMP/other.ini" --quiet --force --set init.seed=7 --set checkpoint.every=0 \
    --set run.steps=10
expect_equal 'checkpoints of the old one are gone' "$(cd "$TMP/other" && ls | grep -c snapshot)" 0
rm "$TMP/other/summary.json" # as if it had been killed
expect_status 0 "$ENGINE" resume "$TMP/other" --quiet
expect_equal 'it is the new one that begins again' "$(json "$TMP/other/summary.json" '{step}')" 10
plan
