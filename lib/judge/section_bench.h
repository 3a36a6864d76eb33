/* [bench]: defaults for the options of `engine bench`. */
#ifndef LIB_JUDGE_SECTION_BENCH_H
#define LIB_JUDGE_SECTION_BENCH_H

#include "config/keys.h"

enum { KEY_BENCH_IMPL, KEY_BENCH_SWEEP, KEY_BENCH_REPEATS, KEY_BENCH_STEPS, KEY_BENCH_REMOVES, KEYS_OF_BENCH };

extern const struct section bench_section;

#endif
