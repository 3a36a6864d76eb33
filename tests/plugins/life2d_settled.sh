#!/bin/bash
# The kernel of life2d-bit/cuda that leaves out settled tiles, which the C++ compiler compiles for the host
# (life2d_settled.cpp).
. "$(dirname "$0")/../lib.sh"

read -r -a cxx <<<"${CXX:-g++}"
command -v "${cxx[0]}" >/dev/null || skip_all 'there is no C++ compiler'
expect 'the kernel is compiled' "${cxx[@]}" -std=c++17 -O1 -U_FORTIFY_SOURCE -Wall -Wextra -Werror -Wno-unknown-pragmas \
    -Iplugins -Iinclude tests/plugins/life2d_settled.cpp -o "$TMP/settled"
expect_status 0 "$TMP/settled"
expect_equal 'all agree with plain loops' "$(grep -c '^ok' "$TMP/stdout")" 13
plan
