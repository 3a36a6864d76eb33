#!/bin/bash
# The operators of engine/stencil_bits.cuh, which nvcc compiles for GPUs, compute the same as bytes do. Here the C++
# compiler compiles them for the host.
. "$(dirname "$0")/../lib.sh"
read -r -a cxx <<<"${CXX:-g++}"
command -v "${cxx[0]}" >/dev/null || skip_all 'there is no C++ compiler'
expect 'the header compiles for the host without warnings' "${cxx[@]}" -std=c++17 -O1 -Wall -Wextra -Wconversion \
    ${WERROR:+-Werror} -Iinclude \
    tests/stencil/operators.cpp -o "$TMP/operators"
while read -r line; do
    case $line in
    'not ok'*) not_ok "${line#* - }" "$(grep -A1 -F "$line" "$TMP/found" | tail -n 1)" ;;
    ok*) ok "${line#* - }" ;;
    esac
done < <("$TMP/operators" | tee "$TMP/found")
expect_equal 'every operator was tried' "$(tail -n 1 "$TMP/found")" 1..20
plan
