#!/bin/bash
# The documentation agrees with the tree: links lead to files and headings, files that pages name exist, and the lists
# of plugins and formats are those of the program.
. "$(dirname "$0")/../lib.sh"

pages=(*.md docs/*.md docs/*/*.md plugins/*/README.md examples/*/*.md python/README.md tests/fuzz/README.md)

# broken ROOT PAGE…: prints the links that lead nowhere, and the files of this tree that the pages name and that do not
# exist. A page may leave out `include`, `core`, `tests` or `configs` before a path, or the ending of a source file.
broken() {
    (cd "$1" && perl -CSD -Mstrict -we '
        sub heading { my $text = lc shift; $text =~ s/`//g; $text =~ s/[^\w\- ]//g; $text =~ s/ /-/g; $text }
        my $folders = "docs|include|core|cli|plugins|formats|configs|examples|tests|tools|python|lib|mk|bench|" .
            "engine|base|memory|config|plugin|plan|run|api|cuda|files|parts|record|ensemble|judge|report";
        my (%text, %headings);
        for my $page (@ARGV) {
            local $/;
            open my $file, "<", $page or die "$page: $!";
            $text{$page} = <$file>;
            $headings{$page}{heading($1)} = 1 while $text{$page} =~ /^#+ +(.*?) *$/mg;
        }
        for my $page (@ARGV) {
            my ($folder) = $page =~ m{^(.*/)?};
            while ($text{$page} =~ /\]\(([^)\s#]*)(?:#([^)\s]*))?\)/g) {
                my ($path, $anchor) = ($1, $2);
                next if $path =~ /^[a-z]+:/;
                my $target = $path eq "" ? $page : ($folder // "") . $path;
                1 while $target =~ s{[^/.][^/]*/\.\./}{};
                print "$page: the link $path leads nowhere\n" unless -e $target;
                print "$page: $path has no heading #$anchor\n" if defined $anchor && !$headings{$target}{$anchor};
            }
            while ($text{$page} =~ m{(?<![\w/.<>*~:-])((?:$folders)/[\w./+*-]++)(?!<)}g) {
                (my $path = $1) =~ s{[./-]+$}{};
                next if $path =~ m{/(my-rule|force_errors)$}; # examples of a name; a program that make builds
                print "$page: there is no $path\n" unless grep { my ($first) = glob; defined $first && -e $first }
                    map { my $at = $_; map { "$at$path$_" } "", ".c", ".sh" } "", "include/", "core/", "lib/", "tests/", "configs/",
                    "docs/", "plugins/", "cli/", $folder // "";
            }
        }' "${@:2}")
}

expect_equal 'links and names of files' "$(broken . "${pages[@]}")" ''

# ---- What it finds
mkdir "$TMP/docs"
printf '%s\n' '# A page' '## The `first` part' '[here](#the-first-part) [b](b.md#b) [web](https://localhost/a)' \
    'core/run/<name>.c and docs/b.md' >"$TMP/docs/a.md"
printf '%s\n' '# B' '[there](../docs/a.md#a-page)' >"$TMP/docs/b.md"
expect_equal 'nothing is wrong' "$(broken "$TMP" docs/a.md docs/b.md)" ''
printf '%s\n' '[a](c.md)' '[b](a.md#no-part)' 'see core/run/gone.c' >>"$TMP/docs/b.md"
expect_equal 'a file, a heading and a name are wrong' "$(broken "$TMP" docs/a.md docs/b.md)" \
    "docs/b.md: the link c.md leads nowhere
docs/b.md: a.md has no heading #no-part
docs/b.md: there is no core/run/gone.c"

# ---- Comments
# Lines with quotes or < are includes and texts.
expect_equal 'the comments of the engine name source files that exist' \
    "$(grep -hoE '^[^"<]*\b[a-z_0-9]+\.cu?\b' -r core lib formats cli --include='*.[ch]' --include='*.cu' | grep -oE '\b[a-z_0-9]+\.cu?\b' | sort -u |
        comm -23 - <(find core lib cli plugins formats tests -name '*.c' -printf '%f\n' -o -name '*.cu' -printf '%f\n' | sort -u))" ''

# ---- Lists
expect_equal 'README.md lists the plugins and their implementations' \
    "$(sed -n 's/^| \[\([a-z0-9-]*\)\](plugins.*| \(`.*`\) |$/\1 \2/p' README.md | tr -d '`,' | sort)" \
    "$("$ENGINE" list | awk '/^[a-z0-9-]+ /{name[++n] = $1; if ($0 ~ /^(runs|margins) /) n--; next}
        /^  [a-z]/{impls[n] = impls[n] " " $1} END{for (i = 1; i <= n; i++) print name[i] impls[i]}' | sort)"
# The program writes "read and written" below the name of a format.
expect_equal 'docs/reference/formats.md lists the formats, and which of them are read and written' \
    "$(sed -n '/^| format | read/,/^$/s/^| `\([a-z0-9]*\)`\(, `\([a-z0-9]*\)`\)\? | \(yes\)\? *| \(yes\)\? *|.*/\1 \4 \5\n\3 \4 \5/p' \
        docs/reference/formats.md | grep '^[a-z]' | sort)" \
    "$("$ENGINE" list --formats | awk '/^[a-z]/{name = $1}
        /^ .*part of the engine|^ .*\.format\.so/{print name, /^ *read/ ? "yes" : "", /written/ ? "yes" : ""}' | sort)"
plan
