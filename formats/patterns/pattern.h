/* Files of patterns: a grid of bytes, with its rule and its place on a larger grid (engine/format.h). */
#ifndef FORMATS_PATTERNS_PATTERN_H
#define FORMATS_PATTERNS_PATTERN_H

#include "files/common.h"
#include "files/text_file.h"

#include <stdio.h>

/* The notes that the author of a pattern has written into its file: #N, #O and #C of RLE. The other formats of patterns
 * have the same, in their own notation. */
enum { PATTERN_NAME, PATTERN_AUTHOR, PATTERN_COMMENT, PATTERN_NOTES };

/* What a file says besides its cells. */
struct pattern_header {
    char rule[IO_RULE_MAX]; /* without the suffix of a bounded grid; "" where there is none */
    char skipped[IO_SKIPPED_MAX], remarks[IO_REMARKS_MAX];
    uint64_t step;
    struct engine_file_pattern place;
    char *said[PATTERN_NOTES]; /* lines of text, each with its end; or NULL */
};

/* What a file holds. It is the first member of the structures that `self` of these formats points to. */
struct pattern {
    struct pattern_header header;
    struct engine_file_array array;
    struct engine_file_note notes[PATTERN_NOTES];
};

/* Takes a rule of so many characters, which are checked, into the header. */
int pattern_take_rule(const struct text_file *text, const char *rule, size_t length, struct pattern_header *header);

/* Takes a line of a comment into the header. Bytes that are not UTF-8, and control characters, are replaced. `note`:
 * PATTERN_NAME … Very long comments are cut, and the header says so. */
int pattern_take_note(const struct text_file *text, int note, const char *line, struct pattern_header *header);

/* The same for a line `#N …`, `#O …` or `#C …`; other lines with # are skipped. */
int pattern_take_comment(const struct text_file *text, const char *line, struct pattern_header *header);

/* Tells that the file has no cells, because a universe without live cells is a pattern of one dead cell. */
void pattern_remark_empty(struct pattern_header *header);

/* Describes a grid of this size, whose header is filled in. `depth` 0: it has two axes. `values`: cells are 0 … values
 * -
 * 1. *content refers to *pattern. */
void pattern_describe(struct pattern *pattern, const uint64_t size[3], uint32_t values,
                      struct engine_file_content *content);

/* The function `frame` of these formats. `self` points to a struct pattern. */
int pattern_frame(const struct engine_file *file, void *self, uint64_t number, struct engine_file_frame *frame);

/* ---- Writing ------------------------------------------------------------------------------------------------ */

/* Can the array be a plane of bytes? Of two states? */
int pattern_holds(const struct engine_file_array *array);
int pattern_holds_two(const struct engine_file_array *array);

/* Calls `take` for the cells of the array that is written, in order. `sparse`: dead cells may be left out. */
int pattern_each(const struct engine_file *file, const struct engine_shape *shape, bool sparse,
                 int (*take)(void *context, uint64_t begin, const uint8_t *cells, uint64_t count), void *context);

/* Writes a frame of two states. `head` writes the lines before the cells; `cell` gets each cell in reading order, or, if
 * `sparse` is set, at least the live ones. Both
 * return 0 or less on an error, as fprintf does. */
int pattern_write(const struct engine_file *file, const struct engine_file_frame *frame, bool sparse,
                  int (*head)(FILE *stream, const struct engine_file_frame *frame),
                  int (*cell)(FILE *stream, const struct engine_file_content *content, uint64_t x, uint64_t y,
                              uint8_t state));

/* Writes a cell of a row of '.' and `live`, and the end of the row. */
int pattern_put_cell(FILE *stream, const struct engine_file_content *content, uint64_t x, uint8_t state, char live);

/* Writes a rule B<births>/S<survivals> as <survivals>/<births>, and other rules as they are. */
int pattern_put_survivals(FILE *stream, const char *rule);

/* Calls `put` for each line of each note, with the note's key. Stops where `put` returns 0 or less, as fprintf does on
 * an error, and returns that; otherwise returns 1. */
int pattern_put_notes(const struct engine_file_content *content, void *context,
                      int (*put)(void *context, const char *key, const char *line, int length));

/* The functions `write` of the formats. */
int cells_write_frame(const struct engine_file *file, void *self, const struct engine_file_frame *frame);
int life105_write_frame(const struct engine_file *file, void *self, const struct engine_file_frame *frame);
int life106_write_frame(const struct engine_file *file, void *self, const struct engine_file_frame *frame);
int mcl_write_frame(const struct engine_file *file, void *self, const struct engine_file_frame *frame);

/* Returns which note of a pattern's author the key is, or -1: it is one about a run. */
int pattern_note_of(const char *key);

/* Writes a line of a note behind the mark of a comment, such as "#D ": with its key, unless it is a comment itself. */
int pattern_put_marked(FILE *stream, const char *mark, const char *key, const char *line, int length);

/* For pattern_put_notes: writes a line to a stream as a comment of Golly, `#C Seed: 42` or `#O Bill Gosper`. */
int pattern_put_comment(void *stream, const char *key, const char *line, int length);

#endif
