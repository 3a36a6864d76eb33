/* Text files, plain or gzip-ed, byte by byte and with line numbers, for the formats that are text. */
#ifndef CORE_IO_TEXT_FILE_H
#define CORE_IO_TEXT_FILE_H

#include "base/error.h"
#include <stdbool.h>
#include <zlib.h>

struct text_file {
    gzFile file;
    char *path;
    uint64_t line;     /* of the byte got last, from 1 */
    bool line_begins;  /* the next byte is the first of a line */
    bool cut;          /* the line that text_file_line got last was longer than its buffer */
    char trouble[200]; /* why the file cannot be read on, or "" */
    const unsigned char *at, *end;
    unsigned char buffer[1 << 16];
};

/* Opens a file and reads its first bytes, which lie at [at, end) then; a byte order mark is skipped. *text is NULL
 * after an error. ENGINE_STATUS_INPUT. */
int text_file_open(struct text_file **text, const char *path, struct engine_error *error);
void text_file_close(struct text_file *text);

/* Back to the first byte. ENGINE_STATUS_INPUT. */
int text_file_rewind(struct text_file *text, struct engine_error *error);

/* Records "path:line: …" with ENGINE_STATUS_INPUT; with the trouble instead of the given text where the file could not
 * be read on. */
int text_file_error(const struct text_file *text, struct engine_error *error, const char *format, ...)
    ENGINE_PRINTF(3, 4);

/* ENGINE_STATUS_INPUT if the file could not be read to its end, which text_file_get alone does not tell. */
int text_file_check(const struct text_file *text, struct engine_error *error);

/* Reads on to the file's end without looking at it: only there gzip data shows whether it is whole.
 * ENGINE_STATUS_INPUT. */
int text_file_drain(struct text_file *text, struct engine_error *error);

/* Rest of the line, without its end, as a string; what does not fit is dropped and text->cut set. false: no line left,
 * or trouble. */
bool text_file_line(struct text_file *text, char *buffer, size_t size);

/* Drops the rest of the line. */
void text_file_skip_line(struct text_file *text);

/* For text_file_get alone. */
bool text_file_fill(struct text_file *text);
int text_file_control(struct text_file *text, int byte);

/* The next byte, every kind of line end as '\n'; -1: the end, or trouble, as is a NUL byte. */
static inline int text_file_get(struct text_file *text)
{
    if (text->at == text->end && !text_file_fill(text))
        return -1;
    int byte = *text->at++;
    text->line += text->line_begins;
    if (byte < ' ')
        byte = text_file_control(text, byte);
    text->line_begins = byte == '\n';
    return byte;
}

#endif
