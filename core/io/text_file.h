/* Text files, plain, gzip-compressed or in a zip archive, read byte by byte with line numbers. */
#ifndef CORE_IO_TEXT_FILE_H
#define CORE_IO_TEXT_FILE_H

#include "base/error.h"
#include <stdbool.h>
#include <zlib.h>

struct zip;

struct text_file {
    gzFile file;
    struct zip *zip;   /* the file is in an archive; NULL: `file` is read */
    char *path;        /* in an archive: of the archive, '/', and the file's name in it */
    uint64_t line;     /* of the last byte, from 1 */
    bool line_begins;  /* the next byte is the first of a line */
    bool cut;          /* the last line was longer than the buffer of text_file_line */
    char trouble[200]; /* the reason why the file cannot be read further, or "" */
    const unsigned char *at, *end;
    unsigned char buffer[1 << 16];
};

/* Opens a file, or the pattern in a zip archive, and reads its first bytes into [at, end). A byte order mark is skipped. *text is NULL after an error.
 * ENGINE_STATUS_INPUT. */
int text_file_open(struct text_file **text, const char *path, struct engine_error *error);
void text_file_close(struct text_file *text);

/* Returns to the first byte. ENGINE_STATUS_INPUT. */
int text_file_rewind(struct text_file *text, struct engine_error *error);

/* Records "path:line: …" and returns ENGINE_STATUS_INPUT. Where the file could not be read further, the reason for that
 * replaces the given text. */
int text_file_error(const struct text_file *text, struct engine_error *error, const char *format, ...)
    ENGINE_PRINTF(3, 4);

/* Returns ENGINE_STATUS_INPUT if the file could not be read to its end. text_file_get alone does not tell. */
int text_file_check(const struct text_file *text, struct engine_error *error);

/* Refuses a text from the file that has other bytes than printable ASCII, because it is printed and written to other
 * files. `what` is the text's name in the message. ENGINE_STATUS_INPUT. */
int text_file_check_printable(const struct text_file *text, const char *part, const char *what,
                              struct engine_error *error);

/* Skips to the end of the file, where the checksum of gzip data is. ENGINE_STATUS_INPUT. */
int text_file_drain(struct text_file *text, struct engine_error *error);

/* Reads the rest of the line, without its end, as a string. text->cut tells whether it did not fit and was cut. Returns
 * false where there is no line, and after an error. */
bool text_file_line(struct text_file *text, char *buffer, size_t size);

/* Skips the rest of the line. */
void text_file_skip_line(struct text_file *text);

/* Used by text_file_get. */
bool text_file_fill(struct text_file *text);
int text_file_control(struct text_file *text, int byte);

/* Returns the next byte; '\n' for every kind of line end; -1 at the end and after an error. A NUL byte is an error. */
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
