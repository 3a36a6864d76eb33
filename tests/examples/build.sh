#!/bin/bash
# Each plugin of examples/ builds in the same way as its reader would build it: from a copy of the folder elsewhere,
# with only the installed files. Then the installed engine loads it.
#
# `engine new-plugin` writes the same Makefile: it makes <name>.so in its folder with the header of ENGINE_INCLUDE. If
# it has a target `test`, the target tests the plugin with the program ENGINE.
. "$(dirname "$0")/../lib.sh"

compgen -G 'examples/*/Makefile' >/dev/null || skip_all 'there are no examples'

# Everything is built already, and tests/run passes the settings of the build on, so make only installs.
expect 'make install' make install PREFIX=/usr/local DESTDIR="$TMP/root" BUILD="${BUILD#"$ROOT/"}"
prefix=$TMP/root/usr/local
use_python
# Without optimisations nvcc takes half of the time, and gives the same bits.
installed=(ENGINE="$prefix/bin/engine" ENGINE_INCLUDE="$prefix/include" CC="${CC:-cc}" PYTHON="$python"
    NVCCFLAGS='-Xcicc -O0 -Xptxas -O0')

export OMP_WAIT_POLICY=passive # waiting threads that spin would take the cores of others
# The engine refuses plugins that others may write to.
umask 022
mkdir "$TMP/elsewhere"
native=$(native_flag)
for example in examples/*/Makefile; do
    case $example in examples/embed/* | examples/soups/*) continue ;; esac # programs: embed.sh, soups.sh
    name=$(basename "$(dirname "$example")")
    cp -r "examples/$name" "$TMP/elsewhere/$name"
    # With all optimisations, and for each set of instructions, the compiler takes a minute for cells of 19 floats.
    flags=()
    [ "$name" != d3q19 ] || flags=(CFLAGS="-O1 -ftree-vectorize $native -Wall -Wextra -Wpedantic")
    [ "$name" != d2q9 ] || flags=(CFLAGS="-O2 $native -Wall -Wextra -Wpedantic")
    # Its test takes a billion steps of cells, which this makes faster.
    [ "$name" != forest-fire ] || flags=(CFLAGS="-O3 $native -Wall -Wextra -Wpedantic")
    expect "$name builds out of tree" make -C "$TMP/elsewhere/$name" "${installed[@]}" "${flags[@]}"
    expect "$name.so is there" test -f "$TMP/elsewhere/$name/$name.so"
    ENGINE_PLUGIN_PATH=$TMP/elsewhere/$name expect_status 0 "$prefix/bin/engine" describe "$name"
    expect_stdout_has "$name"
    # Cells of 9 and 19 floats would take long at all sizes.
    case $name in
    d2q9) size=("$TMP/elsewhere/$name/$name.ini" --placed --set grid.size='70 37' --set d2q9.diameter=8) ;;
    d3q19) size=("$TMP/elsewhere/$name/$name.ini" --set grid.size='33 7 10') ;;
    *) size=() ;;
    esac
    expect_status 0 "$prefix/bin/engine" conform "$TMP/elsewhere/$name/$name.so" "${size[@]}"
    expect_stdout_hasnt 'not ok'
    if grep -q '^test:' "$example"; then
        expect "$name's own test" make -C "$TMP/elsewhere/$name" "${installed[@]}" "${flags[@]}" test
    fi
done

# The table of docs/lab/plugin-interface.md states how far a step of these examples reaches.
for row in Gray–Scott:gray-scott Ising:ising; do
    expect_equal "docs/lab/plugin-interface.md states the reach of ${row%:*}" \
        "$(sed -n "s/^| ${row%:*} |.*, reach \([0-9 ]*\) |.*/\1/p" docs/lab/plugin-interface.md)" \
        "$(sed -n 's/.*\.reach = {\([0-9]*\), \([0-9]*\), 0}.*/\1 \2/p' "examples/${row#*:}/plugin.c" | sort -u)"
done
expect_equal 'docs/lab/plugin-interface.md states the reach of Larger than Life' \
    "$(sed -n 's/^| Larger than Life |.*, reach \([0-9]*\) \1 |.*/\1/p' docs/lab/plugin-interface.md)" \
    "$(sed -n 's/.*LTL_RADIUS_MAX = \([0-9]*\).*/\1/p' plugins/larger-than-life/rule.h)"
plan
