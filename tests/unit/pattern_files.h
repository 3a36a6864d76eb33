/* Small files of patterns for tests, and their expected cells. Define PATTERN_FILE, the name of the files, before. */
#ifndef TESTS_UNIT_PATTERN_FILES_H
#define TESTS_UNIT_PATTERN_FILES_H

#include "folder.h"
#include "tests/documents.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static inline const char *file_of(const char *text)
{
    const char *path = path_of(PATTERN_FILE);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
    assert_int_equal(fclose(file), 0);
    return path;
}

static inline struct io_document *opened(const char *text)
{
    struct engine_error error = {0};
    struct io_document *document;
    if (open_document(file_of(text), &document, &error) != 0)
        fail_msg("%s", error.text);
    return document;
}

/* Compares the cells, as rows of letters, '.' for 0 and 'A' for 1, read in ranges of every length. */
static inline void expect_pattern(const char *file, const char *expected)
{
    for (uint64_t range = 1; range <= 40; range++) {
        struct engine_error error = {0};
        struct io_document *document = opened(file);
        const uint64_t *extent = document->arrays[0].shape.extent, total = extent[0] * extent[1];
        uint8_t cells[512];
        char text[600] = "";
        assert_true(total <= sizeof cells);
        for (uint64_t begin = 0; begin < total; begin += range)
            assert_int_equal(document->read(document, 0, begin, total - begin < range ? total - begin : range,
                                            cells + begin, &error),
                             0);
        for (uint64_t i = 0, at = 0; i < total; i++) {
            assert_true(cells[i] < document->arrays[0].values);
            text[at++] = cells[i] == 0 ? '.' : (char) ('@' + cells[i]);
            if (i % extent[0] == extent[0] - 1)
                text[at++] = '\n';
        }
        assert_string_equal(text, expected);
        document->close(document);
    }
}

static inline void expect_error(const char *text, const char *where, const char *what)
{
    struct engine_error error = {0};
    struct io_document *document;
    char begin[600];
    const char *path = file_of(text);
    const int status = open_document(path, &document, &error);
    snprintf(begin, sizeof begin, "%s%s", path, where);
    if (status != ENGINE_STATUS_INPUT || document != NULL || strncmp(error.text, begin, strlen(begin)) != 0 ||
        strstr(error.text, what) == NULL)
        fail_msg("status %d, '%s', expected '%s…%s'", status, error.text, begin, what);
}

#endif
