#!/bin/bash
# mkdocs makes the site of the documentation without a warning: each page is in its list, each link leads somewhere. Links
# to headings lead to them.
. "$(dirname "$0")/../lib.sh"
command -v mkdocs >/dev/null || skip_all 'mkdocs is missing; tools/setup --tests installs it'

# A gallery with one picture.
mkdir -p "$TMP/site/gallery"
cp docs/pictures/glider-gun.png "$TMP/site/gallery/a-glider-gun.png"
expect 'the site' tools/site "$ENGINE" "$TMP/site" --strict
html=$TMP/site/html
for page in index gallery reference/configuration howto/film plugins/life2d-bit/index examples/wave/fortran; do
    expect "$page" test -s "$html/$page.html"
done
expect 'a header that a page links to' test -s "$html/include/engine/plugin.h"
expect 'search finds words' grep -q '"Philox4x32-10\|Philox4x32' "$html/search/search_index.json"
expect 'the gallery shows its picture' grep -q 'src="pictures/a-glider-gun.png"' "$html/gallery.html"
expect 'help texts are a page' grep -q 'engine convert IN OUT' "$html/reference/command-line.html"

# Prints the links to headings that are not there.
lost() {
    perl -MFile::Find -e '
        chdir $ARGV[0] or die;
        my (%ids, @links);
        find({no_chdir => 1, wanted => sub {
            return unless /\.html$/;
            (my $page = $_) =~ s{^\./}{};
            open my $file, "<", $_ or die;
            local $/;
            my $text = <$file>;
            $ids{$page}{$_} = 1 for $text =~ / id="([^"]*)"/g;
            my ($folder) = $page =~ m{^(.*/)?};
            while ($text =~ /href="([^":#]*)#([^"]+)"/g) {
                my ($path, $id) = ($1, $2);
                my $target = $path eq "" ? $page : ($folder // "") . $path;
                1 while $target =~ s{[^/.][^/]*/\.\./}{};
                push @links, [$page, $target, $id];
            }
        }}, ".");
        for (@links) {
            my ($page, $target, $id) = @$_;
            $id =~ s/%([0-9A-F]{2})/chr hex $1/ge;
            print "$page: $target#$id\n" unless $ids{$target}{$id};
        }' "$1"
}
expect_equal 'links to headings' "$(lost "$html")" ''
sed -i 's/id="settled-regions"/id="moved"/' "$html/plugins/life2d-bit/index.html"
expect 'a heading that is gone is found' test -n "$(lost "$html")"
plan
