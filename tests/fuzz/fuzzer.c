/* The program of the fuzzer: `fuzzer --target=NAME [options of libFuzzer] FOLDER…`. It needs clang's
 * -fsanitize=fuzzer. */
#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct fuzz_target *target;

int LLVMFuzzerInitialize(int *count, char ***words);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* libFuzzer ignores options that begin with two dashes. */
int LLVMFuzzerInitialize(int *count, char ***words)
{
    for (int i = 1; i < *count; i++)
        if (strncmp((*words)[i], "--target=", 9) == 0)
            target = fuzz_target_named((*words)[i] + 9);
    if (target == NULL) {
        fputs("fuzzer: expected --target=NAME, one of the folders of tests/fuzz/seeds\n", stderr);
        exit(2);
    }
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    target->run(target, bytes, size);
    return 0;
}
