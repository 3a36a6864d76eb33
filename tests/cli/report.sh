#!/bin/bash
# engine report writes a page about a run that needs no other file.
. "$(dirname "$0")/common"

run "$ENGINE" run "$TMP/good.ini" --quiet --json --set run.steps=40 --set "run.output=$TMP/run" --set output.every=10 \
    --set 'output.formats=png apng npy' --set life2d-bit.rule=B36/S23
hash=$(json "$TMP/stdout" '{hash}')
expect_status 0 "$ENGINE" report "$TMP/run"
page=$TMP/run/report.html
expect_stderr_has "$page"
expect 'nothing on stdout' test ! -s "$TMP/stdout"
for text in "$hash" 'life2d-bit ' 'rule = B36/S23' 'size = 20 10' "engine resume $TMP/run --set run.steps=80" population \
    "$(json "$TMP/run/summary.json" '{processor}')" 'cells-0000000000.png' 'cells-0000000040.png' 'cells.apng'; do
    expect "the page has '${text/#$TMP/TMP}'" grep -qF "$text" "$page"
done
# shown_limit FOLDER: prints "0.37 logic" of the page's "37.0 % of the logic limit".
shown_limit() {
    perl -ne 'printf "%.4f %s\n", $1 / 100, $2 if m{limit</th><td>([0-9.]+) % of the (\w+) limit}' "$1/report.html"
}
expect 'no share of a limit, as the run was short' grep -qF 'not known: the run took less than 10 ms' "$page"
# Some tenths of a second, in which no work is skipped.
run "$ENGINE" run "$TMP/good.ini" --quiet --set run.implementation=cpu --set life2d-bit.settled=no --set grid.size='1000 1000' \
    --set run.steps=10000 --set "run.output=$TMP/limit"
expect_status 0 "$ENGINE" report "$TMP/limit"
expect 'the share of a limit, as the device is this one' grep -qE '^[0-9.]+ (copy|logic)$' <(shown_limit "$TMP/limit")
# Which of the two depends on the machine and on what else it does, unless the cost has no bytes, as that of nbody.
cp -r "$TMP/limit" "$TMP/logic"
perl -0777 -i -pe 's/("cost":[^}]*"bytes": *)[^,}\s]+/${1}0/' "$TMP/logic/summary.json"
expect_status 0 "$ENGINE" report "$TMP/logic"
expect_equal 'life2d-bit: logic is the limit' "$(shown_limit "$TMP/logic" | cut -d ' ' -f 2)" logic
if [ -e "$BUILD/plugins/nbody.so" ]; then
    run "$ENGINE" run configs/nbody-plummer-262144.ini --quiet --set particles.count=2048 --set run.steps=100 --set run.implementation=cpu \
        --set "run.output=$TMP/nbody"
    expect_status 0 "$ENGINE" report "$TMP/nbody"
    read -r share limit <<<"$(shown_limit "$TMP/nbody")"
    expect_equal 'nbody: multiply-adds are the limit' "$limit" fma
    expect "nbody: its share is more than a thousandth: $share" awk "BEGIN { exit !($share > 0.001) }"
fi
run "$ENGINE" run "$TMP/good.ini" --quiet --set run.steps=480 --set grid.size='256 256' --set init.density=0 \
    --set run.implementation=cpu --set life2d-bit.settled=yes --set "run.output=$TMP/settled"
expect_status 0 "$ENGINE" report "$TMP/settled"
expect 'no share of a limit, as cells were skipped' grep -qF 'not known: the rate counts work that was skipped' "$TMP/settled/report.html"
run "$ENGINE" run "$TMP/good.ini" --quiet --set run.steps=0 --set "run.output=$TMP/none-taken"
expect_status 0 "$ENGINE" report "$TMP/none-taken"
expect 'no share of a limit, as no step was taken' grep -qF 'not known: the run took no step' "$TMP/none-taken/report.html"
expect_equal 'pictures between the first and the last are left out' "$(grep -cE '<figcaption>cells-[0-9]+.png' "$page")" 2

# It is whole: the pictures are in it, nothing is fetched, nothing is a script.
for file in cells-0000000000.png cells-0000000040.png cells.apng; do
    perl -MMIME::Base64 -0777 -ne "print decode_base64(\$1) if m{base64,([^\"]*)\"><br><figcaption>\Q$file\E<}" "$page" >"$TMP/picture"
    expect_same "$TMP/picture" "$TMP/run/$file"
done
# 20 x 10 cells of 22 pixels are 440 pixels wide, which the page shows as they are; of 23 pixels, 460, it shrinks them.
for scale in 22 23; do
    run "$ENGINE" run "$TMP/good.ini" --quiet --set "run.output=$TMP/$scale" --set output.formats=png --set output.scale=$scale
    run "$ENGINE" report "$TMP/$scale"
    expect_equal "scale $scale: large pictures are shown smoothly" "$(grep -o '<img alt="[^"]*" class="large"' "$TMP/$scale/report.html" | wc -l)" $((scale - 22))
done
expect_equal 'no address but names of XML' "$(sed 's/base64,[^"]*//g; s,xmlns="http://www.w3.org/2000/svg",,g' "$page" | grep -ciE 'https?:|src="[^d]|href|@import|url\(')" 0
expect_equal 'no script' "$(grep -ciE '<script|javascript:| on[a-z]+=' "$page")" 0
expect 'every element is closed' perl -0777 -ne '
    s/<!DOCTYPE[^>]*>//; s/<(meta|img|br)\b[^>]*>//g;
    my @open; for (m{<(/?[a-z0-9]+)[^>]*?(/?)>}g) { }
    while (m{<(/?)([a-zA-Z0-9]+)[^>]*?(/?)>}g) { next if $3; if ($1) { die "</$2>" unless @open && pop(@open) eq $2 } else { push @open, $2 } }
    exit(@open ? 1 : 0)' "$page"

# The curve: population over steps, a point for each of the five rows, highest and lowest as in metrics.csv.
points=$(perl -ne 'print join "\n", $1 =~ /[ML]([\d.]+ [\d.]+)/g if /stroke-linecap="round" stroke="#0072b2" d="([^"]*)"/' "$page")
expect_equal 'a point for each row of metrics.csv' "$(wc -l <<<"$points")" 5
expect_equal 'the highest point is the largest population' "$(cat -n <<<"$points" | sort -k3,3n | head -n 1 | awk '{print $1}')" \
    "$(tail -n +2 "$TMP/run/metrics.csv" | cat -n | sed 's/,/ /' | sort -k3,3nr | head -n 1 | awk '{print $1}')"

# A run that did not end; one whose last row is torn; a table; names that HTML must not take for its own.
rm "$TMP/run/summary.json"
printf '50,1' >>"$TMP/run/metrics.csv"
sed -i '$ s/,1$/,/' "$TMP/run/metrics.csv"
expect_status 0 "$ENGINE" report "$TMP/run" --quiet
expect '--quiet: nothing on stderr' test ! -s "$TMP/stderr"
expect 'it has not ended' grep -qF 'This run has not ended' "$page"
expect_equal 'a torn row is no point' "$(perl -ne 'print scalar(() = $1 =~ /[ML]/g) if /stroke="#0072b2" d="([^"]*)"/' "$page")" 5
odd="$TMP/a<b> & 'c'"
run "$ENGINE" run "$TMP/good.ini" --quiet --set "run.output=$odd"
expect_status 0 "$ENGINE" report "$odd"
expect 'names are escaped' grep -qF "a&lt;b> &amp; 'c'</h1>" "$odd/report.html"
expect 'and quoted for a shell' grep -qF "engine resume '$TMP/a&lt;b> &amp; '\\''c'\\''' --set" "$odd/report.html"
expect 'no pictures: how to have them' grep -qF 'formats = png' "$odd/report.html"
if [ -e "$BUILD/plugins/rdf.so" ]; then
    run "$ENGINE" run configs/rdf-ideal.ini --quiet --set output.formats=svg --set "run.output=$TMP/rdf"
    expect_status 0 "$ENGINE" report "$TMP/rdf"
    perl -MMIME::Base64 -0777 -ne 'print decode_base64($1) if m{<img alt="rdf.svg" src="data:image/svg\+xml;base64,([^"]*)"><br><figcaption>rdf.svg<}' \
        "$TMP/rdf/report.html" >"$TMP/drawing"
    expect_same "$TMP/drawing" "$TMP/rdf/rdf.svg"
    expect 'drawings of tables are in it' grep -q 'Hash: ' "$TMP/drawing"
fi

# A folder from somebody else: nothing that it holds runs, is fetched, or keeps anybody waiting.
foreign=$TMP/foreign
run "$ENGINE" run "$TMP/good.ini" --quiet --set "run.output=$foreign" --set output.formats=png --set run.steps=3
evil='"><script>alert(1)</script>'
perl -i -pe 's/"signal": *null/"signal": q{}/; s/q\{\}/"<img src=x onerror=alert(1)>"/; s/"(engine|processor|date|rate_unit|hash)": *"[^"]*"/"$1": "\\"><script>alert(1)<\/script>"/;
    s/"threads": *\d+/"threads": 4000000000/; s/"device_number": *\d+/"device_number": 1e300/' "$foreign/summary.json"
printf '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>' >"$foreign/rdf.svg"
printf 'step,%s\n0,1\n1,2\n' "$evil" >"$foreign/evil-metrics.csv"
printf ',\n1\n2\n' >"$foreign/empty-metrics.csv"
printf '\n; %s\n' "$evil" >>"$foreign/config.ini"
echo 'secret of another user' >"$TMP/secret"
for name in cells-0000000001.png cells.apng secret.svg linked-metrics.csv; do
    ln -s "$TMP/secret" "$foreign/$name"
done
for name in cells-0000000000.png pipe.apng pipe.svg pipe-metrics.csv; do
    mkfifo "$foreign/$name"
done
mkdir "$foreign/folder.svg"
: >"$foreign/$evil.svg" 2>/dev/null || : >"$foreign/><script>.svg"
expect_status 0 timeout 60 "$ENGINE" report "$foreign"
page=$foreign/report.html
expect 'the signal is there as text' grep -qF 'Signal &lt;img src=x onerror=alert(1)>' "$page"
expect_equal 'no script, in whatever way it was planted' "$(grep -ciE '<script|<img src=x' "$page")" 0
expect_equal 'no other attribute than those of the page' \
    "$(perl -0777 -ne 'for (/<(?!svg|line|text|path|rect|circle|meta|html|style)[a-z][^>]*>/g) { s/="[^"]*"//g; print "$_\n" if /\b(on\w+|href)\b/ }' "$page")" ''
expect_equal 'no content of a link' "$(grep -cF -e 'secret of another' -e "$(base64 -w 0 "$TMP/secret")" "$page")" 0
expect 'the page says so' grep -qF 'secret.svg is not shown: ' "$page"
expect_stderr_has "foreign/pipe.apng: is not a regular file; remove it; the page does not show this file"
expect_stderr_has "foreign/linked-metrics.csv: is a symbolic link"
expect_stderr_has "foreign/cells-0000000000.png: is not a regular file"
expect 'the page says which are no files' grep -qF "pipe.apng: is not a regular file; remove it" "$page"
expect 'the browser is told to run and to fetch nothing' grep -qF "content=\"default-src 'none'; img-src data:; style-src 'unsafe-inline'\"" "$page"
for name in summary.json config.ini; do
    mv "$foreign/$name" "$TMP/kept"
    mkfifo "$foreign/$name"
    expect_status 3 timeout 60 "$ENGINE" report "$foreign"
    expect_stderr_has "$name: is not a regular file"
    rm "$foreign/$name"
    ln -s "$TMP/secret" "$foreign/$name"
    expect_status 3 timeout 60 "$ENGINE" report "$foreign"
    expect_stderr_has "$name: is a symbolic link"
    rm "$foreign/$name"
    mv "$TMP/kept" "$foreign/$name"
done
printf '{"a":[%s0]}' "$(printf '{},%.0s' {1..5000})" >"$foreign/summary.json"
expect_status 3 "$ENGINE" report "$foreign"
expect_stderr_has 'summary.json: is not the summary of a run'

# Files that are damaged: one sentence each, in the page and on stderr; the page shows the others.
run "$ENGINE" run "$TMP/good.ini" --quiet --set run.steps=40 --set "run.output=$TMP/whole" --set output.every=10 \
    --set 'output.formats=png apng'
expect_status 0 "$ENGINE" report "$TMP/whole" --quiet
expect 'whole files are not damaged' test ! -s "$TMP/stderr"
damaged() { # damaged FILE SENTENCE COMMAND: the file of the run after this command
    cp -r "$TMP/whole" "$TMP/torn"
    (cd "$TMP/torn" && eval "$3")
    expect_status 0 "$ENGINE" report "$TMP/torn"
    expect_stderr_has "torn/$1: $2; the page does not show this file"
    expect_equal "$1, $3: the page says the same" "$(grep -c 'is not shown: ' "$TMP/torn/report.html")" 1
    rm -r "$TMP/torn"
}
for file in cells-0000000040.png cells.apng; do
    damaged "$file" 'is empty or cut short' ": >$file"
    damaged "$file" 'is empty or cut short' "truncate -s 200 $file"
    damaged "$file" 'is empty or cut short' "truncate -s -1 $file"
    damaged "$file" 'is damaged: the checksum of a chunk is wrong' "printf '\\377\\377' | dd of=$file bs=1 seek=100 conv=notrunc 2>dd"
    damaged "$file" 'is no PNG file' "echo 'no picture' >$file"
done
damaged drawing.svg 'is empty or cut short' "printf '<svg>' >drawing.svg"
damaged metrics.csv 'has no row of numbers' ': >metrics.csv'
damaged metrics.csv 'has no row of numbers' 'sed -i 2,99d metrics.csv'
damaged metrics.csv 'is damaged: line 2 is not a row of 1 numbers' "printf 'a\nb\n' >metrics.csv"
damaged metrics.csv 'is damaged: line 3 is not a row of 2 numbers' 'sed -i "3s/,.*/,x/" metrics.csv'
damaged metrics.csv 'is damaged: line 6 is not a row of 2 numbers' 'sed -i "6s/,.*//" metrics.csv'

# The command that continues a run of one's own plugin names its folder, and works as it stands.
mkdir "$TMP/my plugins"
run "$ENGINE" run "$TMP/good.ini" --quiet --plugins "$TMP/my plugins" --set "run.output=$TMP/own"
run "$ENGINE" report "$TMP/own"
expect 'the folder of plugins is there, quoted' grep -qF "engine resume $TMP/own --plugins '$TMP/my plugins' --set run.steps=" "$TMP/own/report.html"
rm "$TMP/own/summary.json"
run "$ENGINE" report "$TMP/own" --plugins "$TMP/my plugins"
expect 'without a summary, the folder of the report' grep -qF "engine resume $TMP/own --plugins '$TMP/my plugins'<" "$TMP/own/report.html"

# What is no run.
refused 'no such folder' 3 'there is no such folder' "$ENGINE" report "$TMP/none"
# A metric that hardly changes: the labels of its axis differ. The head has the size, and six digits of each metric.
mkdir "$TMP/steady"
printf '[run]\nplugin = nbody\nsteps = 2\n' >"$TMP/steady/config.ini"
printf 'step,energy\n0,-0.1480640001\n1,-0.1480640002\n2,-0.1480640003\n' >"$TMP/steady/metrics.csv"
printf '{"plugin": "nbody", "size": "512", "step": 2, "steps": 2, "metrics": {"energy": -0.14806400030000001, "bodies": 4851000575.0}}\n' \
    >"$TMP/steady/summary.json"
expect_status 0 "$ENGINE" report "$TMP/steady"
labels=$(grep -o '>-0\.148[0-9]*<' "$TMP/steady/report.html" | sort)
expect 'an axis has labels' [ "$(wc -l <<<"$labels")" -ge 2 ]
expect_equal 'no two labels of an axis are equal' "$(uniq -d <<<"$labels")" ''
for row in 'size</th><td>512<' 'energy</th><td>-0.148064<' 'bodies</th><td>4851000575<'; do
    expect "the head has ${row%%<*}" grep -qF "$row" "$TMP/steady/report.html"
done

# Components of a quantity have one panel, and so one scale: from -2 to 4 in the first, so that 4, -2 and 1 lie at its top,
# its bottom and its middle. Each panel is 110 pixels high; names have units.
mkdir "$TMP/moved"
cp "$TMP/steady/config.ini" "$TMP/moved"
printf 'step,p_x,p_y,p_z,p,q_x,at_z:1\n0,4,1,0,1,1,1\n1,-2,1,0,2,2,2\n' >"$TMP/moved/metrics.csv"
cp "$TMP/moved/metrics.csv" "$TMP/moved/look-metrics.csv"
printf '{"steps": 1, "units": {"p_x": "m <s", "p": "kg"}, "analysis": {"units": {"q_x": "K"}}}' >"$TMP/moved/summary.json"
expect_status 0 "$ENGINE" report "$TMP/moved"
expect_equal 'four panels of six curves, twice' "$(grep -c 'V[0-9.]*H700.00" fill="none"' "$TMP/moved/report.html") $(
    grep -c 'stroke-width="1.6"' "$TMP/moved/report.html")" '8 12'
for text in 'd="M110.00 26.00h0L700.00 136.00"' 'd="M110.00 81.00h0L700.00 81.00"' '>p_x (m &lt;s)<' '>p_y<' '>p (kg)<' '>q_x<' '>q_x (K)<' \
    '>step<'; do
    expect "the page has $text" grep -qF "$text" "$TMP/moved/report.html"
done
expect_equal 'the unit of a run is not that of its analysis' "$(grep -c '>p (kg)<\|>q_x (K)<' "$TMP/moved/report.html")" 2
run "$ENGINE" run "$TMP/good.ini" --quiet --set "run.output=$TMP/units" --set output.every=10
run "$ENGINE" report "$TMP/units"
expect 'a run names its units' grep -qF '>population (cells)<' "$TMP/units/report.html"

# A haul: a table of objects. Garwood (1936): the limits of 10 are 4.80 and 18.39, and those of 40 are 28.58 and 54.47. Those
# of a share p are the roots of (p - k / n)^2 = 1.96^2 p (1 - p) / n, as Wilson (1927) has them.
# A haul of another rule has no published frequencies. The share is one of still lifes, and long names do not end the table.
mkdir "$TMP/soups"
cp "$TMP/steady/config.ini" "$TMP/soups"
haul() {
    printf '@VERSION x\n@RULE %s\n@SYMMETRY C1\n@NUM_SOUPS 9\n\n@CENSUS TABLE\n' "$1"
    printf 'xs4_33 60\nxp2_7 40\nxp3_%s 30\nxs6_696 10\nxs0_0 5\n\n@SAMPLE_SOUPIDS\nxs7_2596 30\n' "$(printf '%0900d' 0)"
}
haul b3s23 >"$TMP/soups/life.txt"
haul b38s23 >"$TMP/soups/other.txt"
echo '@VERSION of something else' >"$TMP/soups/note.txt"
expect_status 0 "$ENGINE" report "$TMP/soups"
for row in '<code>xs6_696</code></td><td>10</td><td>5 to 18</td><td>14.29 %</td><td>7.949 % to 24.34 %</td><td>26.31 %' \
    '<code>xs4_33</code></td><td>60</td><td>46 to 77</td><td>85.71 %</td><td>75.66 % to 92.05 %</td><td>49.65 %'; do
    expect_equal "the page has $row" "$(grep -cF "$row" "$TMP/soups/report.html")" 1
done
row='<code>xp2_7</code></td><td>40</td><td>29 to 54</td><td></td></tr>'
expect_equal "both have $row" "$(grep -cF "$row" "$TMP/soups/report.html")" 2
expect_equal 'two hauls are shown' "$(grep -c '<th>of still lifes' "$TMP/soups/report.html")" 2
expect_equal 'one has published frequencies' "$(grep -c '49.65 %' "$TMP/soups/report.html")" 1

mkdir "$TMP/empty"
refused 'a folder without config.ini' 3 'holds no run: there is no config.ini' "$ENGINE" report "$TMP/empty"
printf '{"steps": ' >"$TMP/run/summary.json"
refused 'a summary that is none' 3 'summary.json: is not the summary of a run' "$ENGINE" report "$TMP/run"
plan
