#!/bin/bash
# The kernels of life3d-packed/cuda, which the C++ compiler compiles for the host (life3d_cuda.cpp).
. "$(dirname "$0")/../lib.sh"

read -r -a cxx <<<"${CXX:-g++}"
command -v "${cxx[0]}" >/dev/null || skip_all 'there is no C++ compiler'
expect 'the kernels are compiled' "${cxx[@]}" -std=c++17 -O1 -U_FORTIFY_SOURCE -Wall -Wextra -Werror \
    -Wno-unknown-pragmas -Iplugins -Iinclude tests/plugins/life3d_cuda.cpp -o "$TMP/kernels"
expect_status 0 "$TMP/kernels"
expect_equal 'all grids agree with plain loops' "$(grep -c '^ok' "$TMP/stdout")" 88
plan
