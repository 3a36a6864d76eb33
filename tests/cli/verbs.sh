#!/bin/bash
# The verbs check, list, describe and convert, and what all verbs have in common.
. "$(dirname "$0")/common"

# ---- Words and help
for verb in run check list describe convert new-plugin; do
    expect_status 0 "$ENGINE" "$verb" --help
    expect_stdout_has "usage: engine $verb"
    expect "$verb --help: nothing on stderr" test ! -s "$TMP/stderr"
    expect "$verb --help: no line is longer than 120 columns" sh -c "! grep -qE '.{121}' '$TMP/stdout'"
    run "$ENGINE" --help
    expect_stdout_has "  $verb "
done
expect_status 0 "$ENGINE" --help
for verb in $("$ENGINE" help | sed -n 's/^  \([a-z-]*\) .*/\1/p'); do
    expect "help $verb is $verb --help" \
        sh -c "'$ENGINE' help $verb >'$TMP/help' && '$ENGINE' $verb --help | cmp - '$TMP/help' && [ -s '$TMP/help' ]"
done
expect_status 0 "$ENGINE" help config --all
for word in '[run]' '[bench]' 'steps = 1 ' 'seed = 42 ' 'formats = npy '; do
    expect_stdout_has "$word"
done
for section in $(sed -n 's/^| `\(\[[a-z]*\]\)`.*/\1/p' docs/reference/configuration.md); do
    expect_stdout_has "$section"
done
# The keys that stdout explains: run.plugin run.steps …
keys_shown() {
    awk '/^\[/ { split($1, name, /[][]/) } /^  [a-z_]+ =/ { print name[2] "." $1 }' "$TMP/stdout" | xargs
}
expect_equal 'help config --all: as many keys as docs/reference/configuration.md' "$(keys_shown | wc -w)" \
    "$(grep -cE '^\| (`\[[a-z]+\]`)? ?\| `[a-z_]+` \|' docs/reference/configuration.md)"
run "$ENGINE" help config
expect_equal 'help config: the basic keys' "$(keys_shown)" \
    "run.plugin run.implementation run.steps run.until run.threads run.output grid.size grid.edges particles.count \
particles.box matrix.rows matrix.columns matrix.element init.source init.file init.at init.density init.seed \
analyse.plugin output.every output.formats checkpoint.seconds"
expect_equal 'help config: the sections of these keys' "$(sed -n 's/^\(\[[a-z]*\]\).*/\1/p' "$TMP/stdout" | xargs)" \
    '[run] [grid] [particles] [matrix] [init] [analyse] [output] [checkpoint]'
for word in '`engine help config --all`' docs/reference/configuration.md 'seed = 42 '; do
    expect_stdout_has "$word"
done
# The keys of a section, as docs/reference/configuration.md lists them: run.plugin run.steps …
keys_of_page() {
    awk -F '[|]' '/^\| (`\[[a-z]+\]`)? ?\| `[a-z_]+` \|/ { gsub(/[][ `]/, ""); if ($2 != "") section = $2; print section "." $3 }' \
        docs/reference/configuration.md | grep "^$1\." | xargs
}
for section in $(sed -n 's/^| `\[\([a-z]*\)\]`.*/\1/p' docs/reference/configuration.md | sort -u); do
    run "$ENGINE" help "[$section]"
    expect_equal "help [$section]: the keys of the section alone" "$(keys_shown | xargs -n 1 | sort | xargs)" \
        "$(keys_of_page "$section" | xargs -n 1 | sort | xargs)"
done
run "$ENGINE" help checkpoint
expect_equal 'help SECTION: no brackets are needed' "$(keys_shown | xargs -n 1 | sort | xargs)" \
    "$(keys_of_page checkpoint | xargs -n 1 | sort | xargs)"
run "$ENGINE" help output
for word in 'scale = 0' '(a whole number from 0 to 64)' '(one of number, mass)'; do
    expect_stdout_has "$word"
done
expect_status 0 "$ENGINE" help rules
expect_equal 'help rules: the plugins with a rule' "$(sed -n 's/^\[\([a-z0-9-]*\)\].*/\1/p' "$TMP/stdout" | xargs)" \
    'alternate census generations larger-than-life life2d-bit life2d-lut life3d-naive life3d-packed life3d-shared margolus ruletable'
expect_stdout_has '  rule = R5,C0,M1,S34..58,B34..45,NM'
for word in outptu '[output' 'output]' '[rules]'; do
    refused 'help about nothing' 2 '`engine help config`' "$ENGINE" help "$word"
done
refused '--all without config' 2 '`engine help config --all`' "$ENGINE" help --all
refused '--all with a verb' 2 '`engine help config --all`' "$ENGINE" help run --all
expect_status 0 "$ENGINE" --version
expect_stdout_has 'engine '
expect_status 2 "$ENGINE"
expect 'no verb: help on stderr, nothing on stdout' sh -c "test ! -s '$TMP/stdout' && grep -q usage '$TMP/stderr'"
refused 'an unknown verb' 2 "unknown verb 'rnu', did you mean 'run'?" "$ENGINE" rnu
for word in $'x\e[31m' $'-x\e[31m' $'x\e[31m.ini'; do
    refused 'a verb with a control character' 2 "${word/$'\e'/?}" "$ENGINE" "$word"
    expect_not 'the terminal gets none' grep -q $'\e' "$TMP/stderr"
done
folder=$TMP/$'x\e[31m'
mkdir "$folder" && cp "$BUILD/plugins/life2d-bit.so" "$folder" && chmod go-w "$folder" "$folder"/*
run "$ENGINE" run "$TMP/good.ini" --quiet --set "run.output=$TMP/shown" && mv "$TMP/shown" "$folder/run"
export XDG_STATE_HOME=$TMP/state
for command in "report $folder/run" "audit $folder/run" "conform $folder" "describe life2d-bit --plugins $folder"; do
    run "$ENGINE" $command
    expect "${command%% *}: '?' in its place" grep -qF 'x?[31m' "$TMP/stdout" "$TMP/stderr"
    expect_not 'the terminal gets none' grep -q $'\e' "$TMP/stdout" "$TMP/stderr"
done
refused 'an unknown verb that is near to nothing' 2 "unknown verb 'frobnicate'" "$ENGINE" frobnicate
refused 'an unknown option of list' 2 "did you mean '--json'?" "$ENGINE" list --jsom

# ---- check
expect_status 0 "$ENGINE" check "$TMP/good.ini" --set "run.output=$TMP/out"
for word in life2d-bit implementation memory '20 x 10' steps output; do
    expect_stdout_has "$word"
done
expect 'check writes nothing' test ! -e "$TMP/out"
expect_equal 'check in an empty folder leaves it empty' \
    "$(mkdir "$TMP/here" && cd "$TMP/here" && "$ENGINE" check ../good.ini >/dev/null 2>&1 && find .)" .
expect_status 0 "$ENGINE" check "$TMP/good.ini" --json
expect 'check --json: one value' json "$TMP/stdout"
expect_equal 'check --json: plugin' "$(json "$TMP/stdout" '{plugin}')" life2d-bit
refused 'check finds what run would' 2 '--set: [run] steps = x: ' "$ENGINE" check "$TMP/good.ini" --set run.steps=x
refused 'check: an implementation that is not there' 2 "no implementation 'quick'" "$ENGINE" check "$TMP/good.ini" \
    --set run.implementation=quick
refused 'check: a file that is not there' 3 none.rle "$ENGINE" check "$TMP/good.ini" --set init.source=file \
    --set "init.file=$TMP/none.rle"
refused 'check: more memory than there is' 5 ' PB more than ' "$ENGINE" check "$TMP/good.ini" --set 'grid.size=2000000000 2000000000'

# ---- list and describe
expect_status 0 "$ENGINE" list
for word in life2d-bit cpu-serial cpu; do
    expect_stdout_has "$word"
done
expect 'list marks what honours dead edges itself' grep -q '^  cpu  .*, in place; fast with dead edges$' "$TMP/stdout"
expect_equal 'and nothing else' "$(sed -n '/^life2d-bit/,/^life2d-lut/p' "$TMP/stdout" | grep 'dead edges' | awk '{ print $1 }' |
    grep -v '^cuda$' | tr '\n' ' ')" 'cpu hashlife '
sed -n '/^$/q; s/^  [a-z0-9-]* *\(\[[0-9]*\]\) .*/\1/p' "$TMP/stdout" >"$TMP/marks"
expect_equal 'list gives a reason for each mark' "$(sed -n 's/^\(\[[0-9]*\]\) not available: .*/\1/p' "$TMP/stdout" | xargs)" \
    "$(sort -u "$TMP/marks" | xargs)"
expect_equal 'and not twice' "$(sed -n 's/^\[[0-9]*\] not/not/p' "$TMP/stdout" | sort | uniq -d)" ''
expect_status 0 "$ENGINE" list --json
expect_equal 'list marks what is not available' "$(wc -l <"$TMP/marks")" "$(grep -c '"available": *false' "$TMP/stdout")"
expect 'list --json: one value' json "$TMP/stdout"
expect 'list --json: an array of plugins with names' json "$TMP/stdout" '[0]{name}'
expect_status 0 "$ENGINE" describe life2d-bit
for word in life2d-bit cells uint8 rule B3/S23 cpu-serial population parameters; do
    expect_stdout_has "$word"
done
expect_status 0 "$ENGINE" describe life2d-bit --json
expect 'describe --json: one value' json "$TMP/stdout"
expect_equal 'describe --json: name' "$(json "$TMP/stdout" '{name}')" life2d-bit
expect_equal 'describe --json: choices' "$("$ENGINE" describe matrix --json | json /dev/stdin '{parameters}[0]{choices}' | tr '\n' ' ')" \
    'add mad '
expect_equal 'describe --json: a field' "$("$ENGINE" describe nbody --json | json /dev/stdin '{fields}[0]{components}')" 3
expect_equal 'what changes speed alone stands apart' "$("$ENGINE" describe life2d-bit |
    sed -n '/^parameters: /,/^$/p; /^tuning parameters, which change the speed/,/^$/p' | grep -o -E '^tuning [a-z]*|^  (rule|depth) =' |
    tr '\n' ' ')" '  rule = tuning parameters   depth = '
refused 'describe: a plugin that is not there' 4 "did you mean 'life2d-bit'?" "$ENGINE" describe life2dbit
refused 'describe: a path' 4 'never a path' "$ENGINE" describe "$BUILD/plugins/life2d-bit.so"
refused '--plugins: a folder that is not there' 2 "$TMP/none" "$ENGINE" list --plugins "$TMP/none"
mkdir "$TMP/two" && cp "$BUILD/plugins/life2d-bit.so" "$TMP/two/"
expect_status 0 "$ENGINE" describe life2d-bit --plugins "$TMP/two"
expect_stdout_has "$TMP/two/life2d-bit.so"
expect_status 0 env ENGINE_PLUGIN_PATH="/none:$TMP/two" "$ENGINE" describe life2d-bit
expect_stdout_has "$TMP/two/life2d-bit.so"

# ---- convert
printf '#N glider\nx = 3, y = 3, rule = B36/S23\nbo$2bo$3o!\n' >"$TMP/a.rle"
expect_status 0 "$ENGINE" convert "$TMP/a.rle" "$TMP/b.npy"
expect "a glider's nine cells" sh -c "tail -c 9 '$TMP/b.npy' | od -An -tx1 | grep -q '00 01 00 00 00 01 01 01 01'"
expect_status 0 "$ENGINE" convert "$TMP/b.npy" "$TMP/c.rle"
expect 'back again: the same cells' grep -qF 'bo$2bo$3o!' "$TMP/c.rle"
expect_status 0 "$ENGINE" convert "$TMP/a.rle" "$TMP/d.rle"
expect 'the rule goes along' grep -q 'rule = B36/S23' "$TMP/d.rle"
expect_status 0 "$ENGINE" convert "$TMP/a.rle" "$TMP/e.png" --scale 4
expect 'a picture of 12 x 12' sh -c "head -c 24 '$TMP/e.png' | tail -c 8 | od -An -tx1 | grep -q '00 00 00 0c 00 00 00 0c'"
printf '!Name: glider\n.O\n..O\nOOO\n' >"$TMP/f.cells"
expect_status 0 "$ENGINE" convert "$TMP/f.cells" "$TMP/g.npy"
expect_same "$TMP/g.npy" "$TMP/b.npy"
printf '#Life 1.06\n0 -1\n1 0\n-1 1\n0 1\n1 1\n' >"$TMP/h.lif"
expect_status 0 "$ENGINE" convert "$TMP/h.lif" "$TMP/i.npy"
expect_same "$TMP/i.npy" "$TMP/b.npy"
gzip -c "$TMP/a.rle" >"$TMP/j.rle.gz"
expect_status 0 "$ENGINE" convert "$TMP/j.rle.gz" "$TMP/k.npy"
expect_same "$TMP/k.npy" "$TMP/b.npy"
refused 'convert does not write over a file' 6 --force "$ENGINE" convert "$TMP/a.rle" "$TMP/b.npy"
expect_status 0 "$ENGINE" convert "$TMP/a.rle" "$TMP/b.npy" --force
refused 'convert: an ending that names no format' 2 x.doc "$ENGINE" convert "$TMP/a.rle" "$TMP/x.doc"
refused 'convert: a format that is only read' 2 'only read' "$ENGINE" convert "$TMP/a.rle" "$TMP/x.tipsy"
refused 'convert: no file' 3 none.rle "$ENGINE" convert "$TMP/none.rle" "$TMP/x.npy"
expect_status 0 "$ENGINE" convert "$TMP/a.rle" "$TMP/f.png" --range 0,2 --colours viridis
expect 'a picture with a palette' grep -qa PLTE "$TMP/f.png"
for range in 1 1,1 0,x 0,1,2; do
    refused "convert: the range $range" 2 --range "$ENGINE" convert "$TMP/a.rle" "$TMP/x.png" --range "$range"
done
refused 'convert: colours that are none' 2 --colours "$ENGINE" convert "$TMP/a.rle" "$TMP/x.png" --colours rainbow
refused 'convert: a picture is not read' 3 e.png "$ENGINE" convert "$TMP/e.png" "$TMP/x.npy"
printf 'x = 3, y = 3\nbo$2bZ!\n' >"$TMP/bad.rle"
refused 'convert: a bad pattern' 3 'bad.rle:2: ' "$ENGINE" convert "$TMP/bad.rle" "$TMP/x.npy"
expect 'and nothing of it is left' sh -c "! ls '$TMP'/x.npy* '$TMP'/*tmp* 2>/dev/null | grep -q ."
refused 'convert: a folder that is not there' 6 "$TMP/none/" "$ENGINE" convert "$TMP/a.rle" "$TMP/none/x.npy"
refused 'convert: a scale of 0' 2 scale "$ENGINE" convert "$TMP/a.rle" "$TMP/x.png" --scale 0
refused 'convert: one word' 2 missing "$ENGINE" convert "$TMP/a.rle"
plan
