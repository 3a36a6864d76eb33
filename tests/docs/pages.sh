#!/bin/bash
# The pages that answer one question each (docs/howto) and those for beginners run as they are written, with the installed
# engine alone, each in a folder of its own. Lines that begin with $ are typed; `# status N` behind a command is its exit
# status. A listing after a line that ends with "`FILE`, whole:" is written to a file. Python blocks are executed.
. "$(dirname "$0")/../lib.sh"

expect 'make install' make install PREFIX="$TMP/prefix" BUILD="${BUILD#"$ROOT/"}"
PATH=$TMP/prefix/bin:$PATH
PKG_CONFIG_PATH=$(dirname "$(find "$TMP/prefix" -name engine.pc)")
export PATH PKG_CONFIG_PATH
use_python
PATH=$TMP/bin:$PATH
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 \
    PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe OMP_WAIT_POLICY=passive
CFLAGS="${CFLAGS:--O3} $(native_flag)"
export CFLAGS
umask 022 # files of a plugin may not be writable by others

# The files of the reader.
mkdir "$TMP/files"
expect 'a trajectory' "$ENGINE" convert tests/formats/mdtraj.gro "$TMP/files/water.xtc" --quiet
expect 'a structure' "$ENGINE" convert tests/formats/mdtraj.gro "$TMP/files/water.gro" --frames 0:1 --quiet
cp tests/faults/glider.rle "$TMP/files"

# Prints the steps of a page: `whole FILE` or `type`, then lines that begin with a space, which are its text.
steps_of() {
    awk '
        /^ +\$ / { sub(/^ +\$ /, ""); print "type"; more = 1 }
        more { sub(/^ +/, ""); print " " $0; more = /\\$/; next }
        /^    / && file { if (!begun++) print "whole " file; printf "%s %s\n", blank, substr($0, 5); blank = ""; next }
        /^$/ { if (begun) blank = blank " \n"; next }
        { file = match($0, /`[^`]*`, whole:$/) ? substr($0, RSTART + 1, RLENGTH - 10) : ""; begun = 0; blank = "" }' "$1"
}

# Does one step of a page.
carry_out() {
    local status=0
    case $1 in
    whole\ *) printf '%s' "$text" >"${1#whole }" ;;
    type)
        if [[ $text == *mpirun* ]] && [[ ! -e $TMP/prefix/lib/engine/team-mpi.so ]]; then
            skip "$page: ${text%%$'\n'*}" 'this build has no MPI'
            return
        fi
        [[ $text =~ \#\ status\ ([0-9]+) ]] && status=${BASH_REMATCH[1]}
        [[ $text != 'engine bench '* ]] || text="${text%$'\n'} --repeats 1 --steps 10" # the rates do not matter here
        expect_status "$status" bash -c "$text"
        ;;
    esac
}

# follow PAGE…: each page in a new folder.
follow() {
    local step line text
    for page in "$@"; do
        mkdir "$TMP/here"
        cp "$TMP/files"/* "$TMP/here"
        cd "$TMP/here" || exit 1
        step='' text=''
        while IFS= read -r line; do
            if [[ $line == ' '* ]]; then
                text+=${line# }$'\n'
            else
                carry_out "$step"
                step=$line text=''
            fi
        done < <(steps_of "$ROOT/$page" && echo end)
        cd "$ROOT" || exit 1
        rm -r "$TMP/here"
    done
}

expect_equal 'twenty questions' "$(find docs/howto -name '*.md' ! -name index.md | wc -l)" 20
expect_equal 'each is short' "$(find docs/howto -name '*.md' -size +2500c)" ''
follow docs/start/first-run.md docs/tutorial/life-in-an-hour.md docs/howto/*.md
expect 'there are many' test "$results" -gt 80

expect 'tools/gallery' tools/gallery "$TMP/prefix" "$TMP/gallery" settles
expect_equal 'one picture' "$(ls "$TMP/gallery")" 'a-pattern-that-settles.png'

expect 'the blocks of docs/start/from-python.md' env PYTHONPATH="$ROOT/python" ENGINE_LIBRARY="$BUILD/libengine.so" \
    "$python" -c '
import re
names = {}
for block in re.findall("```python\n(.*?)```", open("docs/start/from-python.md").read(), re.S):
    exec(block, names)'
plan
