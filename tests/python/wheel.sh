#!/bin/bash
# The wheel that `make wheel` makes: pip installs it in a new virtual environment that has NumPy and nothing else, and
# it works there without the engine's tree.
. "$(dirname "$0")/../lib.sh"
[ -z "${SANITIZE:-}" ] || skip_all 'a wheel with sanitizers would need a Python with sanitizers'
use_python

expect 'make wheel' make -s -o all BUILD="${BUILD#"$ROOT/"}" WHEELS="$TMP/dist" PYTHON="$python_program" wheel
wheel=$(echo "$TMP"/dist/engine-*-py3-none-manylinux_2_*.whl)
expect 'there is one wheel' test -f "$wheel"
mkdir "$TMP/first"
mv "$wheel" "$TMP/first"
expect 'make wheel again' make -s -o all BUILD="${BUILD#"$ROOT/"}" WHEELS="$TMP/dist" PYTHON="$python_program" wheel
expect 'the same build makes the same wheel' cmp "$wheel" "$TMP/first/$(basename "$wheel")"

expect 'a new virtual environment' "$python_program" -m venv "$TMP/venv"
site=$("$TMP/venv/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
numpy=$("$python_program" -c 'import numpy, os; print(os.path.dirname(os.path.dirname(numpy.__file__)))')
ln -s "$numpy"/numpy* "$site"
expect 'pip installs the wheel' "$TMP/venv/bin/pip" install --no-index --disable-pip-version-check "$wheel"
expect 'pip finds everything that it requires' "$TMP/venv/bin/pip" check
cd "$TMP" || exit 1

# expect_says TEXT CODE: a program in the environment prints this text.
expect_says() {
    run env -i PATH=/usr/bin:/bin HOME="$TMP" "$TMP/venv/bin/python" -c "$2"
    expect_equal "$2" "$(cat "$TMP/stdout" "$TMP/stderr")" "$1"
}

expect_equal 'pip show' "$("$TMP/venv/bin/pip" show --disable-pip-version-check engine | grep -E \
    '^(Version|License|Requires):' | xargs)" \
    "Version: $("$ENGINE" --version | sed 's/^engine //; s/ .*//') License: MIT Requires: numpy"
hash=$("$ENGINE" run "$ROOT/configs/gosper-gun.ini" --set run.output="$TMP/out" --json --quiet | "$python" \
    -c 'import json, sys; print(json.load(sys.stdin)["hash"])')
expect_says "$site/engine/__init__.py" 'import engine; print(engine.__file__)'
expect_says "$hash" 'import engine; run = engine.run("gosper-gun.ini"); run.advance(300); print(run.hash)'
expect_says "$(cd "$BUILD/plugins" && printf '%s\n' *.so | grep -v '\.format\.so$' | sed 's/\.so$//' | sort)" \
    'import engine; print(*engine.plugins(), sep="\n")'
expect_says '<engine.Conformance: 2 properties, 0 broken>' \
    'import engine; print(repr(engine.Conformance(engine.conform("life2d-lut", impls="cpu-serial", settings={"grid.size": (8, 8)})[:2])))'

# Every library that is not the C library's comes with the wheel. The library's rpath also counts for what the others
# need, and they have loaded everything before a plugin comes.
system='^(libc|libm|libdl|librt|libpthread|libgcc_s|libstdc\+\+)\.so|^(linux-vdso|(/lib64/)?ld-linux)'
expect_equal 'libengine finds all other libraries in the wheel' \
    "$(ldd "$site"/engine/lib/libengine.so.* | awk '{ print $1, $3 }' | grep -vE "$system" \
    | grep -v " $site/engine/lib/")" ''
needed=$(objdump -p "$site"/engine/lib/plugins/*.so | awk '/NEEDED/ { print $2 }' | sort -u | grep -vE "$system")
expect_equal 'plugins need no others' "$(comm -23 <(echo "$needed") <(cd "$site/engine/lib" && printf '%s\n' lib*.so.* \
    | sort))" ''
expect_equal 'each has its licence' "$(cd "$site"/engine-*.dist-info/licenses && echo lib*)" \
    "$(cd "$site/engine/lib" && echo lib*.so.* | sed 's/libengine[^ ]* //')"
expect 'pip removes it' "$TMP/venv/bin/pip" uninstall --disable-pip-version-check -y engine
expect_not 'all of it' test -e "$site/engine"
plan
