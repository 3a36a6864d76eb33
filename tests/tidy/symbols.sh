#!/bin/bash
# libengine prints nothing, reads no environment variable, installs no signal handler and keeps no writable variable.
# Its files do not call each other in a circle. tools/check-symbols finds each way to break these rules.
. "$(dirname "$0")/../lib.sh"

[ -z "${SANITIZE:-}" ] || skip_all 'the sanitizers add variables to every file'

sources=(core/*/*.c lib/*.c lib/[!p]*/*.c lib/parts/*.c lib/judge/conform/*.c formats/{arrays,particles,patterns,pictures}/*.c)
objects=("${sources[@]/%.c/.o}")
library() (cd "$BUILD/obj" && "$ROOT/tools/check-symbols" "${objects[@]}")
expect 'the files of libengine' library

read -r -a compiler <<<"${CC:-cc}"

# compiled NAME <source: makes $TMP/NAME.o. finds SENTENCE FILE…: the check prints the sentence and fails; without a
# sentence it succeeds.
compiled() { "${compiler[@]}" -std=c11 -D_GNU_SOURCE -O2 -fopenmp -fPIC -fvisibility=hidden -xc -c - -o "$TMP/$1.o"; }

finds() {
    local wanted="0 " sentence=$1
    [ -n "$sentence" ] && wanted="1 $sentence"
    run env -C "$TMP" "$ROOT/tools/check-symbols" "${@:2}"
    expect_equal "found: ${sentence:-nothing}" "$status $(<"$TMP/stdout")" "$wanted"
}

compiled good <<'C'
#include <stdio.h>
static const char *const names[] = {"one", "two"}; /* the loader makes these addresses, then nobody writes them */
const char *name_at(int i) { return names[i]; }
int print_name(FILE *file, int i) { return fprintf(file, "%s\n", names[i]); }
C
finds '' good.o

# breaks NAME SENTENCE LINE: a line of C, and what is found in it.
breaks() {
    compiled "$1" <<<"$3"
    finds "$1.o: $2" "$1.o"
}

breaks prints 'prints: it uses stderr' '#include <stdio.h>
void f(void) { fputs("no", stderr); }'
breaks environment 'uses the environment: it uses getenv' '#include <stdlib.h>
char *f(void) { return getenv("HOME"); }'
breaks handler 'installs a signal handler: it uses signal' '#include <signal.h>
void f(void) { signal(SIGINT, SIG_IGN); }'
breaks zero 'keeps the variable calls, which can be written (.bss)' 'static int calls; int f(void) { return ++calls; }'
breaks data 'keeps the variable calls, which can be written (.data)' 'int calls = 7; int f(void) { return ++calls; }'
breaks thread 'keeps the variable calls, which can be written (.tbss)' \
    'static _Thread_local int calls; int f(void) { return ++calls; }'

# One file looks at these, to find a plugin that changes them. It may not do anything else.
mkdir -p "$TMP/judge/conform"
compiled judge/conform/process <<<'extern char **environ; char **f(void) { return environ; }'
finds '' judge/conform/process.o
breaks judge/process 'uses the environment: it uses environ' 'extern char **environ; char **f(void) { return environ; }'
breaks judge/conform/process 'prints: it uses puts' '#include <stdio.h>
void f(void) { puts("no"); puts("no"); }'

compiled first <<<'int second(int); int first(int i) { return i ? second(i - 1) : 0; }'
compiled second <<<'int third(int); int second(int i) { return i ? third(i - 1) : 0; }'
compiled third <<<'int first(int); int third(int i) { return i ? first(i - 1) : 0; }'
finds 'third.o: these files need each other: first.o -> second of second.o -> third of third.o -> first of first.o' \
    first.o second.o third.o
finds '' first.o second.o
plan
