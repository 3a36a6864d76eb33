#!/bin/bash
# The film at the head of README.md is what the command below it writes, and docs/gallery.md has the same command. The
# compressed bytes depend on libpng, and the notes on the commit, so the pixels are compared.
. "$(dirname "$0")/../lib.sh"
film=docs/pictures/glider-gun.png

# The command: the first indented lines of a page, joined.
command_of() { awk '/^    / { sub(/^ +(\$ )?/, ""); more = sub(/\\$/, ""); printf "%s", $0; if (!more) exit }' "$1" | tr -s ' '; }

# Prints the number of frames and the pixels of a film of one frame after another.
pixels() {
    perl -MCompress::Zlib -e '
        local $/;
        open my $file, "<:raw", $ARGV[0] or die;
        my ($png, $at, $data, $frames) = (scalar <$file>, 8, "", 0);
        my $show = sub { $data eq "" or $frames++, print unpack("H*", uncompress($data) // die), "\n"; $data = "" };
        while ($at < length $png) {
            my ($n, $kind) = unpack "N a4", substr $png, $at;
            $show->() if $kind eq "fcTL" || $kind eq "IEND";
            $data .= substr $png, $at + 8, $n if $kind eq "IDAT";
            $data .= substr $png, $at + 12, $n - 4 if $kind eq "fdAT";
            $at += $n + 12;
        }
        print "$frames frames\n";' "$1"
}

expect 'README.md begins with it' grep -q "($film)" <(head -n 5 README.md)
expect 'it is small' test "$(stat -c %s "$film")" -le 60000
command=$(command_of README.md)
expect_equal 'docs/gallery.md has the command' "$(command_of docs/gallery.md)" "$command"
cd "$TMP" || exit 1
expect_status 0 bash -c "'$ENGINE' ${command#engine }"
pixels "$ROOT/$film" >committed
pixels gun/cells.apng >made
expect_equal 'the film has frames' "$(tail -n 1 committed)" '61 frames'
expect_same committed made
"$ENGINE" run gosper-gun.ini --quiet --set run.output=other --set output.formats=apng --set output.every=2 --set run.steps=120
pixels other/cells.apng >other-pixels
expect_not 'another film has other pixels' cmp -s committed other-pixels
cd "$ROOT" || exit 1
plan
