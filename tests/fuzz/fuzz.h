/* Tests with hostile input. There is a target for each parser. It gets arbitrary bytes, and must not crash, hang, take
 * much memory, or return a result that its interface excludes. fuzzer.c gives the targets input from libFuzzer,
 * test_corpora.c the files of seeds/ and regressions/. */
#ifndef TESTS_FUZZ_FUZZ_H
#define TESTS_FUZZ_FUZZ_H

#include "files/io.h"

#include <stdbool.h>
#include <stddef.h>

struct fuzz_target {
    const char *name; /* also of its folders of seeds and regressions */
    /* Returns false where the input was refused. */
    bool (*run)(const struct fuzz_target *target, const uint8_t *bytes, size_t size);
};

/* Return the targets of targets.c in order, NULL after the last; and the target of a name, NULL where there is none. */
const struct fuzz_target *fuzz_target_at(uint32_t index);
const struct fuzz_target *fuzz_target_named(const char *name);

/* Prints a message about the parser and aborts, unless the condition holds. */
void fuzz_expect(bool holds, const char *format, ...) ENGINE_PRINTF(2, 3);

/* Returns the path of a file in memory with these bytes, valid until the next call. */
const char *fuzz_file(const uint8_t *bytes, size_t size);

/* documents.c: reads the bytes as a file of the target's format, whole and frame by frame. */
bool fuzz_document(const struct fuzz_target *target, const uint8_t *bytes, size_t size);

/* libraries.c: reads the bytes as a file of a format of formats/. */
bool fuzz_library(const struct fuzz_target *target, const uint8_t *bytes, size_t size);

/* documents.c: opens a document with `open`, reads it, and checks it. Returns false where it is refused. */
bool fuzz_open(int (*open)(const char *path, struct io_document **document, struct engine_error *error),
               const char *path);

/* snapshots.c: reads a snapshot that is built around the bytes with correct checksums. */
bool fuzz_snapshot(const struct fuzz_target *target, const uint8_t *bytes, size_t size);

/* documents.c: reads the bytes as a file of any format. */
bool fuzz_any(const struct fuzz_target *target, const uint8_t *bytes, size_t size);

/* documents.c: reads the bytes as a file of any format, and writes the document in every format that can hold it. */
bool fuzz_convert(const struct fuzz_target *target, const uint8_t *bytes, size_t size);

/* settings.c: read a configuration, and an assignment of `--set`. */
bool fuzz_config(const struct fuzz_target *target, const uint8_t *bytes, size_t size);
bool fuzz_set(const struct fuzz_target *target, const uint8_t *bytes, size_t size);

/* rules.c: reads rules of Life in two and three dimensions. */
bool fuzz_rules(const struct fuzz_target *target, const uint8_t *bytes, size_t size);

/* ruletables.c: reads Golly's files of rules, and makes the tables of ruletable. */
bool fuzz_ruletables(const struct fuzz_target *target, const uint8_t *bytes, size_t size);

#endif
