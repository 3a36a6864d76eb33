#!/bin/bash
# A build for a debugger (-O0) has no warnings. Without optimisation, gcc knows less about the lengths of texts, so the
# files that print texts are compiled.
. "$(dirname "$0")/../lib.sh"

[ -z "${SANITIZE:-}" ] || skip_all 'sanitizers cause warnings of their own'

mapfile -t sources < <(grep -lE '\bsnprintf\(' core/*/*.c lib/*.c lib/[!p]*/*.c lib/parts/*.c lib/judge/conform/*.c formats/{arrays,particles,patterns,pictures}/*.c cli/*.c)
objects=("${sources[@]/%.c/.o}")
expect 'there are such files' test "${#sources[@]}" -gt 100
run env -u MAKEFLAGS -u MFLAGS make --no-print-directory -s -k BUILD="$TMP" NVCC= CFLAGS=-O0 CC="${CC:-cc}" "${objects[@]/#/$TMP/obj/}"
expect_equal 'they compile without optimisation' "$status $(grep -E 'error|warning' "$TMP/stderr")" '0 '
plan
