#include "io/text.h"
#include "io/gzip.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Says what stopped gzread, if anything did. A gzip file that is cut short looks like an ordinary end but for this. */
static void note_trouble(struct text *text)
{
    int code;
    const char *reason = gzerror(text->file, &code);
    if (code == Z_BUF_ERROR)
        reason = "the gzip data is cut short; fetch or make the file again";
    else if (code == Z_DATA_ERROR)
        reason = "the gzip data is damaged; fetch or make the file again";
    else if (code == Z_ERRNO)
        reason = strerror(errno);
    else if (code == Z_OK || code == Z_STREAM_END)
        return;
    snprintf(text->trouble, sizeof text->trouble, "%s", reason);
}

bool text_fill(struct text *text)
{
    if (text->trouble[0] != '\0')
        return false;
    int bytes = gzread(text->file, text->buffer, sizeof text->buffer);
    if (bytes < (int) sizeof text->buffer)
        note_trouble(text);
    if (gzip_is_bomb(text->file)) {
        snprintf(text->trouble, sizeof text->trouble, "%s", GZIP_REFUSAL);
        bytes = 0;
    }
    text->at = text->buffer;
    text->end = text->buffer + (bytes > 0 ? bytes : 0);
    return bytes > 0;
}

int text_control(struct text *text, int byte)
{
    if (byte == '\0') {
        snprintf(text->trouble, sizeof text->trouble, "NUL byte: a text file was expected");
        text->end = text->at;
        return -1;
    }
    if (byte != '\r')
        return byte;
    if ((text->at < text->end || text_fill(text)) && *text->at == '\n')
        text->at++;
    return '\n';
}

static int begin(struct text *text, struct engine_error *error)
{
    text->line = 0;
    text->line_begins = true;
    text->trouble[0] = '\0';
    text->at = text->end = text->buffer;
    if (text_fill(text) && text->end - text->at >= 3 && memcmp(text->at, "\xEF\xBB\xBF", 3) == 0)
        text->at += 3;
    return text->at == text->end ? text_check(text, error) : 0;
}

int text_open(struct text **text, const char *path, struct engine_error *error)
{
    *text = NULL;
    struct text *made = calloc(1, sizeof *made);
    if (made == NULL || (made->path = strdup(path)) == NULL) {
        free(made);
        return error_memory(error, sizeof *made, "reading a file");
    }
    errno = 0;
    made->file = gzopen(path, "rb");
    int status = made->file != NULL
                     ? begin(made, error)
                     : error_set(error, ENGINE_STATUS_INPUT, "%s: %s", path, strerror(errno ? errno : ENOMEM));
    if (status != 0) {
        text_close(made);
        return status;
    }
    *text = made;
    return 0;
}

void text_close(struct text *text)
{
    if (text == NULL)
        return;
    if (text->file != NULL)
        gzclose(text->file); /* reading: the trouble it could tell was told by text_check */
    free(text->path);
    free(text);
}

int text_rewind(struct text *text, struct engine_error *error)
{
    if (gzrewind(text->file) != 0)
        return error_set(error, ENGINE_STATUS_INPUT, "%s: cannot be read twice", text->path);
    return begin(text, error);
}

static int say(const struct text *text, const char *reason, struct engine_error *error)
{
    if (text->line == 0)
        return error_set(error, ENGINE_STATUS_INPUT, "%s: %s", text->path, reason);
    return error_set(error, ENGINE_STATUS_INPUT, "%s:%llu: %s", text->path, (unsigned long long) text->line, reason);
}

int text_error(const struct text *text, struct engine_error *error, const char *format, ...)
{
    if (text_check(text, error) != 0)
        return error->status;
    char reason[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reason, sizeof reason, format, arguments);
    va_end(arguments);
    return say(text, reason, error);
}

int text_check(const struct text *text, struct engine_error *error)
{
    return text->trouble[0] != '\0' ? say(text, text->trouble, error) : 0;
}

int text_drain(struct text *text, struct engine_error *error)
{
    while (text_fill(text))
        ;
    text->at = text->end;
    return text_check(text, error);
}

bool text_line(struct text *text, char *buffer, size_t size)
{
    size_t length = 0;
    int byte = text_get(text);
    bool found = byte != -1;
    text->cut = false;
    for (; byte != -1 && byte != '\n'; byte = text_get(text)) {
        if (length + 1 < size)
            buffer[length++] = (char) byte;
        else
            text->cut = true;
    }
    buffer[length] = '\0';
    return found && text->trouble[0] == '\0';
}

void text_skip_line(struct text *text)
{
    for (int byte = 0; byte != -1 && byte != '\n';)
        byte = text_get(text);
}

bool text_number(const char **at, int64_t *value)
{
    const char *digit = *at;
    bool negative = *digit == '-';
    if (*digit == '-' || *digit == '+')
        digit++;
    if (*digit < '0' || *digit > '9')
        return false;
    int64_t number = 0;
    for (; *digit >= '0' && *digit <= '9'; digit++)
        if (__builtin_mul_overflow(number, 10, &number) || __builtin_add_overflow(number, *digit - '0', &number))
            return false;
    *value = negative ? -number : number;
    *at = digit;
    return true;
}

bool text_real(const char **at, double *value)
{
    /* strtod reads more than that: blanks in front, hexadecimal, infinity, NaN. */
    const char *digit = *at + (**at == '-' || **at == '+');
    if ((digit[0] < '0' || digit[0] > '9') && (digit[0] != '.' || digit[1] < '0' || digit[1] > '9'))
        return false;
    if (digit[0] == '0' && (digit[1] == 'x' || digit[1] == 'X'))
        return false;
    char *end;
    *value = strtod(*at, &end);
    *at = end;
    return isfinite(*value);
}
