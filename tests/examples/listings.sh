#!/bin/bash
# docs/writing-a-plugin.md shows the source of plugins/matrix as it is, and the command it gives builds that plugin from the
# installed header alone.
. "$(dirname "$0")/../lib.sh"
page=docs/writing-a-plugin.md

# A listing is what is indented after a line that ends "`FILE`:". Each goes into a file of its own, its source's name first.
awk -v folder="$TMP" '
    /`plugins\/[a-z0-9_\/.-]*`:$/ { split($0, part, "`"); source = part[length(part) - 1]; next }
    source && /^    / && !shown { shown = 1; file = sprintf("%s/listing-%02d", folder, ++count); print source >file }
    source && shown && /^    / { print substr($0, 5) >file; blank = 0; next }
    source && shown && /^$/ && !blank { source = shown = "" ; close(file) }
' "$page"
expect 'the page has listings' test -e "$TMP/listing-08"
for listing in "$TMP"/listing-*; do
    source=$(head -n 1 "$listing")
    expect "$source has: $(sed -n 2p "$listing")" perl -e '
        local $/;
        open my $listing, "<", $ARGV[0] or die; open my $source, "<", $ARGV[1] or die;
        my ($text, $whole) = (scalar <$listing>, scalar <$source>);
        $text =~ s/^[^\n]*\n//;
        exit(index($whole, $text) < 0);' "$listing" "$source"
done

expect 'make install' make install PREFIX=/usr/local DESTDIR="$TMP/root" BUILD="${BUILD#"$ROOT/"}"
umask 022
mkdir "$TMP/matrix"
cp plugins/matrix/*.[ch] "$TMP/matrix"
command=$(sed -n 's/^    cc \(.* -o matrix.so\)$/\1/p' "$page")
read -r -a words <<<"$command"
read -r -a cc <<<"${CC:-cc}"
cd "$TMP/matrix" || exit 1
expect "cc $command" "${cc[@]}" -I"$TMP/root/usr/local/include" "${words[@]}"
cd "$ROOT" || exit 1
expect_status 0 "$ENGINE" verify configs/matrix.ini --plugins "$TMP/matrix"
expect_stdout_has 'cpu            bit-equal'
plan
