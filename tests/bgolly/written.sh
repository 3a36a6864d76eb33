#!/bin/bash
# Golly reads the files of the formats cells, life105, life106 and mcl as the engine wrote them: random patterns on grids
# of every kind, whose cells, places, rules and grids are those that Golly finds in the RLE file.
. "$(dirname "$0")/../lib.sh"
command -v bgolly >/dev/null || skip_all 'bgolly is not installed (Debian: golly)'
cd "$TMP" || exit 1

# pattern SEED STATES RULE SUFFIX: a random pattern, at a random place of a grid of W x H.
pattern() {
    perl -e 'my ($seed, $states, $rule, $suffix) = @ARGV; srand $seed;
        my ($w, $h) = (1 + int rand 90, 1 + int rand 40);
        my ($W, $H) = ($w + int rand 50, $h + int rand 50);
        my $place = join ",", int(rand($W - $w + 1)) - int($W / 2), int(rand($H - $h + 1)) - int($H / 2);
        $suffix =~ s/W/$W/; $suffix =~ s/H/$H/;
        sub tag { my ($s) = @_; $s == 0 ? "." : $s <= 24 ? chr(64 + $s) : chr(ord("p") + ($s - 25) / 24) . chr(65 + ($s - 25) % 24) }
        print "#CXRLE Pos=$place\nx = $w, y = $h, rule = $rule$suffix\n";
        print join("\$\n", map { join "", map { tag(rand() < 0.4 ? 1 + int rand($states - 1) : 0) } 1 .. $w } 1 .. $h), "!\n";' "$@" >in.rle
}
# golly ALGORITHM IN OUT
golly() { bgolly -q -q -a "$1" -m 0 -o "$3" "$2" >golly.log 2>&1; }
without() { grep -v "$1" "$2"; }
same() { expect_equal "$1" "$(printf '%s' "$2" | md5sum)" "$(printf '%s' "$3" | md5sum)"; }

for suffix in '' :TW,H :PW,H ':KW*,H' :TW+2,H; do
    for seed in 1 2 3; do
        pattern "$seed" 2 B36/S23 "$suffix"
        for ending in cells lif life mcl; do
            expect_status 0 "$ENGINE" convert in.rle "in.$ending" --quiet --force
            golly HashLife "in.$ending" "$ending.mc"
            golly HashLife "in.$ending" "$ending.rle"
        done
        golly HashLife in.rle rle.mc
        golly HashLife in.rle rle.rle
        same "$suffix $seed: Life 1.05, all that it says" "$(cat lif.mc)" "$(cat rle.mc)"
        same "$suffix $seed: Life 1.06, cells and places" "$(without '^#R' life.mc)" "$(without '^#R' rle.mc)"
        same "$suffix $seed: plaintext, cells" "$(without '[#x]' cells.rle)" "$(without '[#x]' rle.rle)"
        [[ $suffix == *[+K]* ]] && sed -i 's/:[TK].*//' rle.rle # MCell has no such edges
        same "$suffix $seed: MCell, cells, rule and board" "$(without '#' mcl.rle)" "$(without '#' rle.rle)"
    done
done
for seed in 1 2 3; do
    pattern "$seed" 200 345/2/200 :TW,H
    expect_status 0 "$ENGINE" convert in.rle in.mcl --quiet --force
    golly Generations in.mcl mcl.rle
    golly Generations in.rle rle.rle
    same "200 states, $seed: MCell" "$(without '#' mcl.rle)" "$(without '#' rle.rle)"
done

# Golly does not know these names and spellings; LifeWiki says what the names mean.
opens() { # opens ALGORITHM RULE WANTED [ENDING…]: Golly opens the files, and finds the rule
    printf 'x = 3, y = 3, rule = %s\nbo$2bo$3o!\n' "$2" >in.rle
    for ending in "${@:4}"; do
        expect_status 0 "$ENGINE" convert in.rle "out.$ending" --quiet --force
        rm -f golly.rle
        golly "$1" "out.$ending" golly.rle
        expect_equal "$2: $ending" "$(grep -o 'rule = .*' golly.rle)" "rule = $3"
    done
}
opens HashLife HighLife B36/S23 rle mc lif mcl
opens HashLife 'Day & Night:T20,20' B3678/S34678:T20,20 rle mc lif mcl
opens HashLife Fredkin2 B13/S024V rle mc lif mcl
opens Generations "Brian's Brain" /2/3 rle mc lif mcl
opens Generations B2/S345/G4:T9,9 345/2/4:T9,9 rle mc lif mcl
printf 'x = 3, y = 1, rule = HighLife\n.AB!\n' >in.rle
expect_status 0 "$ENGINE" convert in.rle out.rle --quiet --force
expect_equal 'a name is that of another rule if the pattern has more states' "$(tail -n 2 out.rle)" \
    $'x = 3, y = 1, rule = HighLife\n.AB!'
plan
