#!/bin/bash
# What make would do with some settings: warnings are errors only on demand, and a compiler for another machine leaves out
# what belongs to this one.
. "$(dirname "$0")/../lib.sh"

# would SETTING…: prints the commands of a build from the start, without settings of the tests.
would() {
    env -u MAKEFLAGS -u MFLAGS -u WERROR -u SANITIZE -u CC -u NVCC -u MPICC -u HDF5 -u DEPS \
        make --no-print-directory -n BUILD="$TMP/none" "$@" 2>/dev/null
}
expect_equal 'a warning stops no build' "$(would NVCC= all | grep -ci -e -Werror)" 0
expect 'WERROR=1 makes warnings errors' test "$(would NVCC= WERROR=1 all | grep -c -e -Werror)" -gt 300
expect_equal 'but not with sanitizers' "$(would NVCC= WERROR=1 SANITIZE=1 all | grep -c -e -Werror)" 0

mkdir "$TMP/bin"
printf '#!/bin/sh\necho %s-linux-gnu\n' riscv64 >"$TMP/bin/cross-gcc"
chmod +x "$TMP/bin/cross-gcc"
would CC="$TMP/bin/cross-gcc" all >"$TMP/cross"
expect 'a compiler for another machine compiles the program' grep -q 'cross-gcc.* -c core/base/error.c' "$TMP/cross"
expect_equal 'and no program runs, and no MPI, HDF5 and CUDA of this machine is used' \
    "$(grep -c 'tools/man\|mpicc\|nvcc\|hdf5' "$TMP/cross")" 0
plan
