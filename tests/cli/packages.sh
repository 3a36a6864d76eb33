#!/bin/bash
# Packages: those that tools/setup asks Debian for, and those that `make deb` makes.
# shellcheck disable=SC2016 # scripts have variables too
. "$(dirname "$0")/common"
umask 022

# ---- tools/setup on a machine that has nothing: apt-get only writes down what it is asked for
mkdir "$TMP/fresh"
printf '#!/bin/sh\nexit 1\n' >"$TMP/fresh/dpkg-query"
printf '#!/bin/sh\necho "$@" >>"%s"\n' "$TMP/asked" >"$TMP/fresh/apt-get"
printf '#!/bin/sh\nexec "$@"\n' >"$TMP/fresh/sudo"
chmod +x "$TMP"/fresh/*
asked() { # prints the packages that tools/setup installs, one in each line
    rm -f "$TMP/asked"
    PATH=$TMP/fresh:$PATH run tools/setup "$@"
    grep '^-q install' "$TMP/asked" | tr ' ' '\n' | grep -v '^-' | tail -n +2 | sort
}
asked >"$TMP/build"
asked --tests >"$TMP/tests"
asked --lint >"$TMP/lint"
for package in gcc make libc6-dev libpng-dev scdoc dpkg-dev; do
    expect "tools/setup: $package" grep -qx "$package" "$TMP/build"
done
expect_equal 'and nothing that only tests or upkeep need' \
    "$(grep -x 'golly\|clang.*\|libcmocka-dev\|perl\|cppcheck\|lintian' "$TMP/build")" ''
for package in g++ golly clang libclang-rt-dev libcmocka-dev perl; do
    expect "tools/setup --tests: $package" grep -qx "$package" "$TMP/tests"
done
expect_equal '--tests: everything that the build needs' "$(comm -23 "$TMP/build" "$TMP/tests")" ''
expect_equal '--lint: everything that the tests need' "$(comm -23 "$TMP/tests" "$TMP/lint")" ''
expect '--lint: lintian' grep -qx lintian "$TMP/lint"
expect_status 2 tools/setup --test
expect_stderr_has '[--tests | --browser | --lint]'

# ---- Where a program is missing, make says which
mkdir "$TMP/few"
ln -s /usr/bin/* "$TMP/few" && rm -f "$TMP"/few/{dpkg-shlibdeps,perl}
printf '#!/bin/sh\nexec "$@"\n' >"$TMP/ccache"
chmod +x "$TMP/ccache"
PATH=$TMP/few run make -s info CC="$TMP/ccache gcc" CXX="$TMP/ccache g++"
expect 'make info: a compiler of several words' grep -q '^  C  *gcc' "$TMP/stdout"
expect 'make info: what make deb lacks' \
    grep -q '^  dpkg-shlibdeps not found: make deb needs it; install it with tools/setup$' "$TMP/stdout"
expect 'make info: what make check lacks' \
    grep -q '^  perl .* make check needs it; install it with tools/setup --tests$' "$TMP/stdout"
PATH=$TMP/few expect_status 1 tools/make-deb
expect_stderr_has 'make deb: dpkg-shlibdeps is missing; tools/setup installs it'
PATH=$TMP/few expect_status 2 make -s test-tools
expect_stderr_has 'make check: missing: perl with JSON::PP; tools/setup --tests installs what the tests need'
run make -s info CC="$TMP/ccache no-such-compiler"
expect 'make info: and one that is not there' grep -q '^  C  *not found: make needs it' "$TMP/stdout"

# ---- The package, of what is built already: its make builds nothing, and installs from the build folder of this test
command -v dpkg-shlibdeps >/dev/null || {
    skip 'the package' 'dpkg-shlibdeps is not installed (Debian: dpkg-dev)'
    plan
    exit
}
cat >"$TMP/make" <<'END'
#!/bin/bash
for word; do [[ $word == BUILD=* ]] && word=BUILD=$WHOLE; words+=("$word"); done
exec make -o all "${words[@]}"
END
chmod +x "$TMP/make"
mkdir "$TMP/tools" && ln -s /usr/bin/* "$TMP/tools" && rm -f "$TMP/tools/lintian"
# dpkg-deb compresses little, which saves most of the time.
PATH=$TMP/tools WHOLE=${BUILD#"$ROOT/"} expect_status 0 env BUILD="$TMP/packages" NVCC= MAKE="$TMP/make" \
    MULTIARCH=here DPKG_DEB_COMPRESSOR_LEVEL=0 tools/make-deb
deb=$(echo "$TMP"/packages/deb/engine_*.deb)
expect 'it unpacks' dpkg-deb -R "$deb" "$TMP/package"
package=$TMP/package
version=$(dpkg-deb -f "$deb" Version)
expect_equal 'its version' "$version" "$("$ENGINE" --version | cut -d' ' -f2)-1"
for library in libc6 libpng libjson-c libiniparser; do
    expect "it depends on $library" grep -q "^Depends:.* $library" "$package/DEBIAN/control"
done
for file in "$package/usr/bin/engine" "$package"/usr/lib/here/libengine.so.? \
    "$package"/usr/lib/here/engine/plugins/life2d-bit.so; do
    expect_equal "$(basename "$file"): no debugging symbols" "$(readelf -S "$file" | grep -c '\.symtab\|\.debug')" 0
done
expect_equal 'libengine.a: no debugging symbols' "$(readelf -S "$package/usr/lib/here/libengine.a" \
    | grep -c '\.debug')" 0
expect_equal 'the loader learns of the library' "$(cat "$package/DEBIAN/triggers")" 'activate-noawait ldconfig'
library=$(readelf -d "$package"/usr/lib/here/libengine.so.? | sed -n 's/.*soname: \[libengine\.so\.\(.*\)\]/\1/p')
expect_equal 'and other packages, what they depend on' "$(cat "$package/DEBIAN/shlibs")" \
    "libengine $library engine (>= ${version%-1})"
doc=$package/usr/share/doc/engine
expect_equal "Debian's changes" "$(zcat "$doc/changelog.Debian.gz" | dpkg-parsechangelog -l - -S Version)" "$version"
expect 'the changes of the engine' sh -c "zcat '$doc/changelog.gz' | cmp - CHANGELOG.md"
expect_equal 'no list of folders, which dpkg keeps itself' "$(find "$package" -name folders)" ''
expect 'it runs' "$package/usr/bin/engine" --version
plan
