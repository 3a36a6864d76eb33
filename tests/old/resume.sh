#!/bin/bash
# The engine finishes what older versions of it left unfinished, and writes the same bytes as they would have.
#
# VERSION.tar.gz holds folders of runs and of ensembles that the engine of the commit VERSION did not finish, and
# configurations that start from its snapshots. VERSION.sha256 has the checksums of all files that this same engine wrote
# when it finished them; tests/old/content says what they cover. tests/old/make makes both. It says how, and is the list
# of the runs. Ten lines of 0fd6642e.sha256 are newer: since then, the notes of files have no folders, and no seed where
# nothing is random, and headers have the name of a rule without the ending of its file. The lines of rdf.svg are newer,
# too: the plot has one panel. So are those of the configurations, checkpoints and summaries of runs of pairs and of
# ruletable, which have the parameters that they have since got, with their defaults.
. "$(dirname "$0")/../lib.sh"

for archive in tests/old/*.tar.gz; do
    version=$(basename "$archive" .tar.gz)
    run tests/old/finish "$archive" "$ENGINE" "$TMP/$version"
    expect_equal "$version: the archive is unpacked and its files are read" "$status" 0
    cp "$TMP/stdout" "$TMP/is"
    expect_equal "$version: each run ends with status 0" "$(grep '^status' "$TMP/is")" ''
    expect_equal "$version: nothing is on stderr" "$(cat "$TMP/$version.said")" ''
    mapfile -t folders < <(sed "s/^[^ ]*  //; s#/.*##" "tests/old/$version.sha256" | sort -u)
    for folder in "${folders[@]}"; do
        wrong=$(diff <(grep "  $folder/" "tests/old/$version.sha256") <(grep "  $folder/" "$TMP/is"))
        if [ -z "$wrong" ]; then ok "$version: all files of $folder"; else
            not_ok "$version: all files of $folder" "$(head -n 20 <<<"$wrong")"; fi
    done
    expect_equal "$version: there are no other folders" "$(sed 's/^[^ ]*  //; s#/.*##' "$TMP/is" | sort -u)" \
        "$(sed 's/^[^ ]*  //; s#/.*##' "tests/old/$version.sha256" | sort -u)"
done
plan
