/* Text files, read byte by byte with line numbers through engine/format.h: the format has ENGINE_FORMAT_PACKED. */
#ifndef LIB_FILES_TEXT_FILE_H
#define LIB_FILES_TEXT_FILE_H

#include <engine/format.h>
#include <stdbool.h>

struct text_file {
    const struct engine_file *file; /* of the present call of the format */
    uint64_t base;                  /* offset of buffer[0] in the file */
    uint64_t line;                  /* of the last byte, from 1 */
    bool line_begins;               /* the next byte is the first of a line */
    bool cut;                       /* the last line was longer than the buffer of text_file_line */
    char trouble[200];              /* the reason why the file cannot be read further, or "" */
    const unsigned char *at, *end;
    unsigned char buffer[1 << 16];
};

/* The functions that return int return 0, or a code with the reason recorded (engine/format.h). */

/* Opens a file that the format has just been given, and reads its first bytes into [at, end). A byte order mark is
 * skipped. */
int text_file_open(struct text_file **text, const struct engine_file *file);

/* Returns to the first byte. */
int text_file_rewind(struct text_file *text);

/* A place between two lines. text_file_seek returns to one that text_file_tell returned. */
struct text_place {
    uint64_t offset, line;
};
struct text_place text_file_tell(const struct text_file *text);
int text_file_seek(struct text_file *text, const struct text_place *place);

/* Records an error in the present line. Where the file could not be read further, the reason for that replaces the
 * given text. */
int text_file_error(const struct text_file *text, const char *format, ...) ENGINE_PRINTF(2, 3);

/* Records an error if the file could not be read to its end. text_file_get alone does not tell. */
int text_file_check(const struct text_file *text);

/* Refuses a text from the file that has other bytes than printable ASCII, because it is printed and written to other
 * files. `what` is the text's name in the message. */
int text_file_check_printable(const struct text_file *text, const char *part, const char *what);

/* Skips to the end of the file, where the checksum of gzip data is. */
int text_file_drain(struct text_file *text);

/* Reads the rest of the line, without its end, as a string. text->cut tells whether it did not fit and was cut. Returns
 * false where there is no line, and after an error. */
bool text_file_line(struct text_file *text, char *buffer, size_t size);

/* Skips the rest of the line. */
void text_file_skip_line(struct text_file *text);

/* For `probe`: does the text begin with this word, after a byte order mark and white space? */
bool text_file_begins(const unsigned char *begin, uint64_t count, const char *word);

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

/* Returns the next byte as it is in the file, without moving; -1 at the end and after an error. */
static inline int text_file_peek(struct text_file *text)
{
    return text->at == text->end && !text_file_fill(text) ? -1 : *text->at;
}

#endif
