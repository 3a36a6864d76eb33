#include "judge/section_bench.h"

static const struct engine_param keys[] = {
    [KEY_BENCH_IMPL] = KEY_TEXT("impl", KEY_EXTENT, "", "implementations to compare, separated by commas"),
    [KEY_BENCH_SWEEP] =
        KEY_TEXT("sweep", KEY_EXTENT, "", "section.key=v1,v2 or section.key=1..8; ' and ' separates several sweeps"),
    [KEY_BENCH_REPEATS] = KEY_INTEGER("repeats", KEY_EXTENT, "5", 1, 10000, "number of measurements of each row"),
    [KEY_BENCH_STEPS] =
        KEY_INTEGER("steps", KEY_EXTENT, "0", 0, 1e15, "steps of one measurement; 0: the engine chooses"),
    [KEY_BENCH_REMOVES] =
        KEY_TEXT("removes", KEY_EXTENT, "",
                 "what each of `impl` removes, compared with the one before, with | between the texts"),
};

const struct section bench_section = {.about = {"bench", "defaults for a bench", ENGINE_ARRAY(keys)}};
