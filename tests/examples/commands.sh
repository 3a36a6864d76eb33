#!/bin/bash
# The commands that documentation and configurations show are correct. The test checks each command that runs, compares
# or times a configuration, without the options that `engine check` does not know. Of a sweep, it checks the first
# value. It leaves out lines with files of the reader.
. "$(dirname "$0")/../lib.sh"
own='[-]-help|PATTERN|gosper-gun\.rle| lj\.ini|big\.ini|their-folder|CONFIG|…|\$PWD'

# Lines of a command, joined where they end in a backslash, without comments.
commands() {
    sed -n -e ':a' -e '/\\$/{N;s/ *\\\n[; ]*/ /;ba' -e '}' -e 's/ \{2,\}#.*//' \
        -e 's/^;\{0,1\} \{4,\}\(build\/\)\{0,1\}engine \(run\|bench\|verify\|check\) /\2 /p' "$@" \
        | sort -u | grep -vE "$own"
}

# Options that only bench and run have, and their values. A sweep of one key becomes --set. The number of GPUs is left
# out, because this machine may have none.
for_check() {
    sed -E -e 's/^[a-z]+ //' -e "s/ --sweep ([a-z0-9_.-]+)=([\"'])([^,\"']*)[^\"']*\\2/ --set \\1=\\2\\3\\2/g" \
        -e "s/ --sweep ([a-z0-9_.-]+)=([^, \"']+)[^ \"']*/ --set \\1=\\2/g" -e 's/(=[0-9]+)\.\.[0-9]+/\1/g' \
        -e "s/ --(impl|sweep|repeats|steps|plot|walltime|devices)[= ]([^ '\"]|'[^']*'|\"[^\"]*\")+//g" \
        -e 's/ --(csv|json)=[^ ]+//g' -e 's/ --(csv|json|watch|force|weak)( |$)/ /g' \
        -e 's/ --set run\.devices=[0-9]+//g' \
        -e 's/ *&&.*//' <<<"$1"
}

# The engine refuses plugins that others may write to.
umask 022
mkdir "$TMP/plugins"

# Builds the plugin in a folder that a page names: an example, or one that the page lets `engine new-plugin` write.
build_plugin() {
    local name=${1##*/} written
    [ ! -e "$TMP/plugins/$name" ] || return 0
    if [ -d "examples/$name" ]; then
        cp -r "examples/$name" "$TMP/plugins/$name"
    else
        written=$(grep -hoE "engine new-plugin $name( --kind [a-z]+)?$" docs/*.md docs/*/*.md | head -n 1)
        expect "a page says how to write $name" test -n "$written"
        (cd "$TMP/plugins" && eval "'$ENGINE' ${written#engine }" 2>"$TMP/stderr")
    fi
    expect "the plugin $name builds" make -s -C "$TMP/plugins/$name" CC="${CC:-cc}" CFLAGS=-O0 NVCC= ENGINE="$ENGINE" \
        ENGINE_INCLUDE="$ROOT/include" "$name.so"
}

declare -A correct=()
while IFS= read -r command; do
    words=$(for_check "$command")
    if [[ $words =~ --plugins\ ([a-z0-9/-]+) ]]; then
        build_plugin "${BASH_REMATCH[1]}"
        folder=$TMP/plugins/${BASH_REMATCH[1]##*/}
        words=$folder/$(basename "${words%% *}")${words#"${words%% *}"}
        words=${words/--plugins ${BASH_REMATCH[1]}/--plugins $folder}
    fi
    [ -e "${words%% *}" ] || words=configs/$words # one that came with the engine, by its name
    # Many commands differ in other options alone.
    if [ -z "${correct[$words]:-}" ]; then
        run bash -c "'$ENGINE' check $words"
        [ "$status" != 0 ] || correct[$words]=yes
        needs=$(sed -n 's/.*\(needs a processor with [^;]*\).*/\1/p' "$TMP/stderr")
    fi
    if [ -n "${correct[$words]:-}" ]; then ok "engine $command"
    elif [ -n "$needs" ]; then skip "engine $command" "$needs"
    else not_ok "engine $command" "failed: engine check $words" "$(tail -n 20 "$TMP/stderr")"; fi
done < <(commands <(sed 's/^    \$ /    /' docs/gallery.md) README.md CONTRIBUTING.md docs/*.md docs/*/*.md plugins/*/README.md configs/*.ini configs/bench/*.ini configs/ladder/*.ini)
expect 'there are many' test "$results" -gt 30
plan
