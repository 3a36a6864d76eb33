/* The targets for hostile input, one for each parser. A target takes any bytes. It must not crash, hang, take much
 * memory, or return what its interface rules out. fuzzer.c gives the targets to libFuzzer, and test_corpora.c gives
 * them the files of seeds/ and regressions/. */
#ifndef TESTS_FUZZ_FUZZ_H
#define TESTS_FUZZ_FUZZ_H

#include "io/io.h"

#include <stdbool.h>
#include <stddef.h>

struct fuzz_target {
    const char *name; /* and that of its folders of seeds and regressions */
    /* false: the input was refused */
    bool (*run)(const struct fuzz_target *target, const uint8_t *bytes, size_t size);
};

/* Those of targets.c, in order; NULL behind the last, or where none has the name. */
const struct fuzz_target *fuzz_target_at(uint32_t index);
const struct fuzz_target *fuzz_target_named(const char *name);

/* Says what a parser let pass and aborts, unless it holds. */
void fuzz_expect(bool holds, const char *format, ...) ENGINE_PRINTF(2, 3);

/* The path of a file in memory that holds these bytes; until the next call. */
const char *fuzz_file(const uint8_t *bytes, size_t size);

/* documents.c: reads the bytes as a file of the format that the target is called after, whole and frame by frame. */
bool fuzz_document(const struct fuzz_target *target, const uint8_t *bytes, size_t size);

/* snapshots.c: the same of a snapshot, made around the bytes so that its checksums hold. */
bool fuzz_snapshot(const struct fuzz_target *target, const uint8_t *bytes, size_t size);

/* documents.c: reads them as what they look like, and writes what was read in every format that takes it. */
bool fuzz_convert(const struct fuzz_target *target, const uint8_t *bytes, size_t size);

/* settings.c: a configuration, and one line as `--set` takes it. */
bool fuzz_config(const struct fuzz_target *target, const uint8_t *bytes, size_t size);
bool fuzz_set(const struct fuzz_target *target, const uint8_t *bytes, size_t size);

/* rules.c: rules of 2D and of 3D Life. */
bool fuzz_rules(const struct fuzz_target *target, const uint8_t *bytes, size_t size);

#endif
