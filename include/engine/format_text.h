/* engine/format_text.h - helpers for file formats of text: lines of a file, and numbers in them.
 *
 * Optional inline code for engine/format.h, not a part of the binary interface. */
#ifndef ENGINE_FORMAT_TEXT_H
#define ENGINE_FORMAT_TEXT_H

#include <engine/format.h>

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { ENGINE_LINE_MAX = 1024 }; /* bytes of a line, with the zero at its end */

/* A place in a file of text. Set it to {0}, or to the offset and the number of a line to begin there. */
struct engine_lines {
    uint64_t offset;            /* of the line that is read next */
    uint64_t number;            /* of the last line, from 1 */
    uint64_t begin;             /* offset of the last line */
    uint64_t held, count;       /* the buffer holds bytes [held, held + count) of the file */
    char text[ENGINE_LINE_MAX]; /* the last line, without its end */
    unsigned char buffer[1 << 14];
};

/* Reads the next line into lines->text; a line ends with \n or \r\n, and the last one may end with the file. *found is
 * 0 at the end of the file. Refuses lines that are too long and zero bytes. */
static inline int engine_lines_next(const struct engine_file *file, struct engine_lines *lines, int *found)
{
    uint64_t length = 0;
    int ended = 0;
    *found = lines->offset < file->bytes;
    lines->begin = lines->offset;
    lines->number += (uint64_t) *found;
    while (!ended && lines->offset < file->bytes) {
        if (lines->offset < lines->held || lines->offset - lines->held >= lines->count) {
            const uint64_t left = file->bytes - lines->offset;
            lines->held = lines->offset;
            lines->count = left < sizeof lines->buffer ? left : sizeof lines->buffer;
            const int code = file->read(file, lines->held, lines->count, lines->buffer);
            if (code != 0) {
                lines->count = 0;
                return code;
            }
        }
        const unsigned char byte = lines->buffer[lines->offset++ - lines->held];
        ended = byte == '\n';
        if (ended)
            break;
        if (byte == 0)
            return ENGINE_FAIL_LINE(file, lines->number, "zero byte; expected a file of text");
        if (length == ENGINE_LINE_MAX - 1)
            return ENGINE_FAIL_LINE(file, lines->number, "the line is longer than %d bytes", ENGINE_LINE_MAX - 1);
        lines->text[length++] = (char) byte;
    }
    if (length > 0 && lines->text[length - 1] == '\r')
        length--;
    lines->text[length] = '\0';
    return 0;
}

/* Copies columns [begin, end) of a line, counted from 0, without the blanks around them. A line that ends earlier has
 * blanks there. Returns out, of `end - begin + 1` bytes at least. */
static inline char *engine_columns(const char *line, size_t begin, size_t end, char *out)
{
    const size_t length = strlen(line);
    end = end < length ? end : length;
    while (begin < end && line[begin] == ' ')
        begin++;
    while (end > begin && line[end - 1] == ' ')
        end--;
    const size_t count = end > begin ? end - begin : 0;
    if (count > 0)
        memcpy(out, line + begin, count);
    out[count] = '\0';
    return out;
}

/* Read a whole word as a number. Return 0 where it is something else, is infinite, or does not fit. The locale of the
 * thread has a point in numbers: the engine sees to it. */
static inline int engine_word_real(const char *word, double *number)
{
    char *end;
    const int begins = *word == '-' || *word == '+' || *word == '.' || (*word >= '0' && *word <= '9');
    *number = begins ? strtod(word, &end) : 0;
    return begins && *end == '\0' && *number - *number == 0 && strpbrk(word, "xXnN") == NULL;
}

static inline int engine_word_integer(const char *word, int64_t *number)
{
    const char *digits = word + (*word == '-' || *word == '+');
    const size_t count = strspn(digits, "0123456789");
    *number = count > 0 && count < 19 ? strtoll(word, NULL, 10) : 0;
    return count > 0 && count < 19 && digits[count] == '\0';
}

/* Writes text as printf does, of at most 4095 bytes. */
static inline int engine_put_text(const struct engine_file *file, const char *format, ...) ENGINE_PRINTF(2, 3);
static inline int engine_put_text(const struct engine_file *file, const char *format, ...)
{
    char text[4096];
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (length < 0 || (size_t) length >= sizeof text)
        return ENGINE_FAIL_FILE(file, "a line is too long to be written");
    return file->write(file, text, (uint64_t) length);
}

#ifdef __cplusplus
}
#endif

#endif
