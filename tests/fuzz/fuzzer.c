/* The connection to libFuzzer: `fuzzer --target=NAME [libFuzzer's options] FOLDER…`. Only clang's -fsanitize=fuzzer
 * builds it. */
#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct fuzz_target *target;

int LLVMFuzzerInitialize(int *count, char ***words);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* Options that begin with two dashes are left to us. */
int LLVMFuzzerInitialize(int *count, char ***words)
{
    for (int i = 1; i < *count; i++)
        if (strncmp((*words)[i], "--target=", 9) == 0)
            target = fuzz_target_named((*words)[i] + 9);
    if (target == NULL) {
        fputs("fuzzer: --target=NAME was expected; the names are those of tests/fuzz/seeds\n", stderr);
        exit(2);
    }
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    target->run(target, bytes, size);
    return 0;
}
