#!/bin/bash
# The files that `make install` installs are sufficient: to run the installed configurations, to write a plugin, to read
# the documentation, and to complete words. `make uninstall` removes all of them.
. "$(dirname "$0")/common"

umask 022 # files of a plugin may not be writable by others
mkdir -p "$TMP/usr/include" "$TMP/usr/share/man" # empty folders that are there already, as in /usr/local
make=(make -s -o all PREFIX="$TMP/usr" BUILD="${BUILD#"$ROOT/"}") # what is there is installed as it is
touch "$TMP/begin"
expect 'make install' "${make[@]}" install
expect 'in a folder that the loader searches, it asks for ldconfig' sh -c \
    'make -n -s -o all PREFIX=/usr/local install | grep -q "run ldconfig once as root"'
expect 'and in another folder it does not' sh -c "! make -n -s -o all PREFIX='$TMP/usr' install | grep -q ldconfig"
expect_equal 'which leaves the build folder as it was' "$(find "$BUILD" -maxdepth 1 -type f -newer "$TMP/begin")" ''
engine=$TMP/usr/bin/engine
mkdir "$TMP/elsewhere"
cd "$TMP/elsewhere" || exit 1

# ---- Plugins and configurations
expect_equal 'the same plugins as in the build' "$("$engine" list)" "$("$ENGINE" list)"
expect_status 0 "$engine" describe life2d-bit
expect_stdout_has "$TMP/usr/lib/engine/plugins/life2d-bit.so"
expect_status 0 "$engine" run gosper-gun.ini --quiet
expect 'its files lie here' test -s out/gosper-gun/cells-0000000300.png
expect_status 0 "$engine" check "$TMP/usr/share/engine/configs/bench/transpose.ini"
for name in bench/transpose.ini ladder/transpose.ini configs/bench/transpose.ini configs/soup.ini; do
    expect_status 0 "$engine" check "$name"
done
run "$engine" run --help
expect_equal 'run --help lists what came with it' "$(sed '1,/^Configurations:/d; s/^  \([^ ]*\) .*/\1/; /^ /d' \
    "$TMP/stdout" | xargs)" \
    "$(cd "$ROOT/configs" && echo *.ini)"
run "$engine" bench --help
expect_equal 'bench --help lists the tables' "$(sed -n 's/^  \(\(bench\|ladder\)\/[^ ]*\).*/\1/p' "$TMP/stdout" | xargs)" \
    "$(cd "$ROOT/configs" && echo bench/*.ini ladder/*.ini)"
expect 'each with what it is about' sh -c "! '$engine' run --help | sed '1,/^Configurations:/d' | grep -q 'ini *$'"
if [ -e "$BUILD/engine-view" ]; then
    run sh -c "timeout 2 '$engine' view soup.ini --set grid.size='64 64' --no-browser"
    expect 'a view finds the plugins and configurations that came with it' grep -q '^http://127.0.0.1:' "$TMP/stdout"
fi
cp "$TMP/good.ini" gosper-gun.ini
expect_status 0 "$engine" check gosper-gun.ini
expect_stdout_has '20 x 10' # one that is here comes first
refused 'a configuration that is nowhere' 2 "did you mean 'soup.ini'?" "$engine" run suop.ini
refused 'paths are not looked for elsewhere' 2 'no such file' "$engine" run ./soup.ini

# ---- A plugin by someone who has nothing else
export PKG_CONFIG_PATH=$TMP/usr/lib/pkgconfig
version() { sed -n "s/^#define ENGINE_ABI_$1 *\([0-9]*\).*/\1/p" "$ROOT/include/engine/plugin.h"; }
expect_status 0 "$engine" new-plugin my-rule
expect 'it builds with the flags of engine.pc' \
    sh -c "cd my-rule && ${CC:-cc} -std=c11 \$(pkg-config --cflags engine) -fPIC -shared plugin.c -o my-rule.so"
expect_status 0 "$engine" conform my-rule/my-rule.so
expect "make test in its folder" make -C my-rule test
expect_equal 'engine.pc: the plugin folder' "$(pkg-config --variable=plugindir engine)" "$TMP/usr/lib/engine/plugins"
expect_equal 'engine.pc: the program' "$("$(pkg-config --variable=engine engine)" --version)" \
    "engine $(pkg-config --modversion engine)"
expect_equal 'engine.pc: the interface' \
    "$(pkg-config --variable=abi_major engine).$(pkg-config --variable=abi_minor engine)" \
    "$(version MAJOR).$(version MINOR)"
cp my-rule/my-rule.so "$(pkg-config --variable=plugindir engine)"
expect_status 0 "$engine" run my-rule/my-rule.ini --quiet

# ---- A page for each verb, with each of its options
for verb in $("$engine" help | sed -n 's/^  \([a-z-]*\) .*/\1/p'); do
    expect "engine-$verb(1)" test -s "$TMP/usr/share/man/man1/engine-$verb.1"
    expect "engine-$verb(1) has each option" sh -c "
        '$engine' help $verb | sed -n 's/^  \(--[a-z]*\).*/\1/p' | while read -r option; do
            sed 's/\\\\//g' '$TMP/usr/share/man/man1/engine-$verb.1' | grep -q -e \"\$option\" || exit 1
        done"
done
expect 'engine(1) lists the verbs' grep -q 'engine-verify' "$TMP/usr/share/man/man1/engine.1"
expect 'engine-config(5) has the keys' grep -q 'metrics_every' "$TMP/usr/share/man/man5/engine-config.5"
expect 'engine-plugin(7)' test -s "$TMP/usr/share/man/man7/engine-plugin.7"

# ---- Pages, which lead to each other, and examples
doc=$TMP/usr/share/doc/engine
run "$engine" --help
expect_stdout_has "$doc/docs"
for page in index tutorial/my-rule reference/configuration reference/formats; do
    expect "$page.md" test -s "$doc/docs/$page.md"
done
run "$engine" describe nbody
expect_stdout_has "documentation: $(realpath "$doc")/plugins/nbody/README.md"
# What a page may lead to besides lies elsewhere when it is installed, or not at all.
lost=$(cd "$doc" && grep -oE '\]\([^)#:]*\)' -r --include='*.md' . | sed 's/](\(.*\))/\1/' | while IFS=: read -r page \
    link; do
    [[ $link =~ ^(\.\./)+(configs|include|tests)(/|$) ]] || [ -e "$(dirname "$page")/$link" ] \
        || echo "$page: $link"
done)
expect_equal 'their links hold' "$lost" ''
cp -r "$doc/examples/brians-brain" .
expect 'an example is built where it was copied to' env PATH="$TMP/usr/bin:$PATH" make -C brians-brain run
expect_equal 'scripts can be run' "$(find "$doc" -name '*.sh' ! -perm -111)" ''

# ---- Nothing stays, but what someone else put there
rm "$TMP/usr/lib/engine/plugins/my-rule.so"
expect 'make install again' "${make[@]}" -C "$ROOT" install
expect 'make uninstall' "${make[@]}" -C "$ROOT" uninstall
expect_equal 'nothing is left but the folders that were there' "$(cd "$TMP/usr" && find . | sort | xargs)" \
    '. ./include ./share ./share/man'
stage=(DESTDIR="$TMP/stage" PREFIX=/opt/engine LIBDIR=/opt/engine/lib/host)
expect 'make install DESTDIR' "${make[@]}" -C "$ROOT" "${stage[@]}" install
echo mine >"$TMP/stage/opt/engine/share/mine"
expect 'make uninstall DESTDIR' "${make[@]}" -C "$ROOT" "${stage[@]}" uninstall
expect_equal 'what someone else put there is left' "$(cd "$TMP/stage" && find . -type f)" ./opt/engine/share/mine
expect_equal 'with its folders alone' "$(cd "$TMP/stage" && find . -type d | sort | xargs)" \
    '. ./opt ./opt/engine ./opt/engine/share'

plan
