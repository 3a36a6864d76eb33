#!/bin/bash
# Follows examples/wave/fortran.md literally with the installed engine alone: it runs the lines that begin with $. Where
# there is Triton, wave.py writes the PTX again.
. "$(dirname "$0")/../lib.sh"
page=$ROOT/examples/wave/fortran.md

# ---- Triton
expect_equal 'wave_ptx.h was made from this wave.py: run it after a change' \
    "$(sed -n 's/^ \* \([0-9a-f]\{64\}\)\. .*/\1/p' examples/wave/wave_ptx.h)" \
    "$(sha256sum examples/wave/wave.py | cut -d' ' -f1)"
version=$(sed -n 's|^/\* Triton \([^ ]*\) made.*|\1|p' examples/wave/wave_ptx.h)
if [ "$("${PYTHON:-python3}" -c 'import triton; print(triton.__version__)' 2>/dev/null)" = "$version" ]; then
    cp -r examples/wave "$TMP/ptx"
    expect 'wave.py compiles' make -C "$TMP/ptx" ptx PYTHON="${PYTHON:-python3}"
    expect_same "$TMP/ptx/wave_ptx.h" examples/wave/wave_ptx.h
else
    skip 'wave.py writes the same PTX again' "${PYTHON:-python3} does not have Triton $version"
fi

# ---- Fortran
if ! command -v gfortran >/dev/null; then
    skip 'the page on Fortran' 'there is no gfortran; tools/setup --tests installs it'
    plan
    exit
fi
expect 'make install' make install PREFIX="$TMP/prefix" BUILD="${BUILD#"$ROOT/"}"
PATH=$TMP/prefix/bin:$PATH
PKG_CONFIG_PATH=$(dirname "$(find "$TMP/prefix" -name engine.pc)")
OMP_WAIT_POLICY=passive # waiting threads that spin would take the cores of others
NVCC=                   # examples/build builds the CUDA side
export PATH PKG_CONFIG_PATH OMP_WAIT_POLICY NVCC CC="${CC:-cc}"
umask 022 # files of a plugin may not be writable by others
cd "$TMP" || exit 1

# The page breaks the rule and mends it; until then, `engine verify` fails.
mapfile -t commands < <(sed -n 's/^    \$ //p' "$page")
expect_equal 'the page has commands' "${#commands[@]}" 19
wanted=0
for command in "${commands[@]}"; do
    if [[ $command == cd\ * ]]; then
        cd "${command#cd }" || exit 1
        continue
    fi
    case $command in
    "sed -i 's/- 4"*) broken=1 ;;
    "sed -i 's/- 3"*) broken=0 ;;
    esac
    wanted=0
    [[ $command == 'engine verify'* ]] && wanted=${broken:-0}
    expect_status "$wanted" bash -c "$command"
    if [[ $command == 'engine verify'* ]]; then
        # What comes after the first numbers of a difference depends on the C library.
        line=$(grep '^  cpu-fortran' "$TMP/stdout" | sed 's/ (x .*//')
        expect "the page shows: $line" grep -qF "    $line" "$page"
    fi
done
expect 'a picture by Fortran' test -s "$TMP/wave/out/wave/height-0000000600.png"
expect 'the copy has the new name alone' sh -c "test -f '$TMP/heat/heat.so' && ! grep -q 'wave' '$TMP'/heat/*.[chf]*"
cd "$ROOT" || exit 1
plan
