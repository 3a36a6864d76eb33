#!/bin/bash
# Follows docs/tutorial/my-format.md literally with the installed engine alone. It runs the lines that begin with $. The
# file format.c contains the parts that the page shows of it.
. "$(dirname "$0")/../lib.sh"
page=$ROOT/docs/tutorial/my-format.md

expect 'make install' make install PREFIX="$TMP/prefix" BUILD="${BUILD#"$ROOT/"}"
PATH=$TMP/prefix/bin:$PATH
umask 022 # files of a format may not be writable by others
cd "$TMP" || exit 1

mapfile -t commands < <(sed -n 's/^    \$ //p' "$page")
expect_equal 'the page has commands' "${#commands[@]}" 10
for command in "${commands[@]}"; do
    if [[ $command == cd\ * ]]; then
        cd "${command#cd }" || exit 1
    else
        expect_status 0 bash -c "$command"
    fi
done
expect 'the file was converted back' grep -q '^X 3 4 5.25$' again.xyz

# Writes each listing after a line that ends with "In `format.c`:" to a file.
awk -v folder="$TMP" '
    /In `format.c`:$/ { next_is = 1; next }
    next_is && /^    / { if (!file) file = sprintf("%s/part-%d", folder, ++count); print substr($0, 5) >file; next }
    !/^$/ { file = ""; next_is = 0 }' "$page"
expect_equal 'the page has listings' "$(find "$TMP" -name 'part-*' | wc -l)" 3
for part in "$TMP"/part-*; do
    expect "format.c has: $(head -n 1 "$part")" perl -e '
        local $/;
        open my $listing, "<", $ARGV[0] or die; open my $source, "<", $ARGV[1] or die;
        exit(index(scalar <$source>, scalar <$listing>) < 0);' "$part" format.c
done
cd "$ROOT" || exit 1
plan
