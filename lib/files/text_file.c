#include "files/text_file.h"
#include "base/text.h"
#include "files/common.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool text_file_fill(struct text_file *text)
{
    const char *reason = NULL;
    if (text->trouble[0] != '\0')
        return false;
    text->base += (uint64_t) (text->end - text->buffer);
    const uint64_t bytes = text->file->next(text->file, text->buffer, sizeof text->buffer, &reason);
    if (reason != NULL)
        snprintf(text->trouble, sizeof text->trouble, "%s", reason);
    text->at = text->buffer;
    text->end = text->buffer + bytes;
    return bytes > 0;
}

int text_file_control(struct text_file *text, int byte)
{
    if (byte == '\0') {
        snprintf(text->trouble, sizeof text->trouble, "NUL byte; expected a text file");
        text->end = text->at;
        return -1;
    }
    if (byte != '\r')
        return byte;
    if ((text->at < text->end || text_file_fill(text)) && *text->at == '\n')
        text->at++;
    return '\n';
}

/* Begins to read at an offset, with the number of the line before it. */
static void begin(struct text_file *text, uint64_t offset, uint64_t line)
{
    text->base = offset;
    text->line = line;
    text->line_begins = true;
    text->trouble[0] = '\0';
    text->at = text->end = text->buffer;
}

static int begin_file(struct text_file *text)
{
    begin(text, 0, 0);
    if (text_file_fill(text) && text->end - text->at >= 3 && memcmp(text->at, "\xEF\xBB\xBF", 3) == 0)
        text->at += 3;
    return text->at == text->end ? text_file_check(text) : 0;
}

int text_file_open(struct text_file **text, const struct engine_file *file)
{
    *text = io_new(file, sizeof **text);
    if (*text == NULL)
        return ENGINE_NO_MEMORY;
    (*text)->file = file;
    return begin_file(*text);
}

int text_file_rewind(struct text_file *text)
{
    const int code = text->file->seek(text->file, 0);
    return code != 0 ? code : begin_file(text);
}

struct text_place text_file_tell(const struct text_file *text)
{
    return (struct text_place){text->base + (uint64_t) (text->at - text->buffer), text->line};
}

int text_file_seek(struct text_file *text, const struct text_place *place)
{
    const int code = text->file->seek(text->file, place->offset);
    if (code == 0)
        begin(text, place->offset, place->line);
    return code;
}

static int say(const struct text_file *text, const char *reason)
{
    return text->file->fail(text->file, ENGINE_INVALID, text->line == 0 ? ENGINE_AT_FILE : ENGINE_AT_LINE, text->line,
                            "%s", reason);
}

int text_file_error(const struct text_file *text, const char *format, ...)
{
    if (text->trouble[0] != '\0')
        return text_file_check(text);
    char reason[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reason, sizeof reason, format, arguments);
    va_end(arguments);
    return say(text, reason);
}

int text_file_check(const struct text_file *text)
{
    return text->trouble[0] != '\0' ? say(text, text->trouble) : 0;
}

int text_file_check_printable(const struct text_file *text, const char *part, const char *what)
{
    while (*part >= ' ' && *part < 127)
        part++;
    return *part == '\0'
               ? 0
               : text_file_error(text, "%s has the byte 0x%02X; expected printable ASCII", what, (unsigned char) *part);
}

int text_file_drain(struct text_file *text)
{
    while (text_file_fill(text))
        ;
    text->at = text->end;
    return text_file_check(text);
}

bool text_file_line(struct text_file *text, char *buffer, size_t size)
{
    size_t length = 0;
    int byte = text_file_get(text);
    bool found = byte != -1;
    text->cut = false;
    for (; byte != -1 && byte != '\n'; byte = text_file_get(text)) {
        if (length + 1 < size)
            buffer[length++] = (char) byte;
        else
            text->cut = true;
        while (text->at < text->end && *text->at >= ' ' && length + 1 < size)
            buffer[length++] = (char) *text->at++;
    }
    buffer[length] = '\0';
    return found && text->trouble[0] == '\0';
}

void text_file_skip_line(struct text_file *text)
{
    for (int byte = 0; byte != -1 && byte != '\n';)
        byte = text_file_get(text);
}

bool text_file_begins(const unsigned char *begin, uint64_t count, const char *word)
{
    const unsigned char *at = begin, *end = begin + count;
    if (count >= 3 && memcmp(at, "\xEF\xBB\xBF", 3) == 0)
        at += 3;
    while (at < end && *at != '\0' && strchr(" \t\r\n", *at) != NULL)
        at++;
    return (size_t) (end - at) >= strlen(word) && memcmp(at, word, strlen(word)) == 0;
}
