#include "io/text_file.h"
#include "io/gzip.h"
#include "io/zip.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Reads the next bytes. Returns their number, and the reason if there are no more because of an error. */
static int read_bytes(struct text_file *text, const char **reason)
{
    const int wanted = sizeof text->buffer;
    if (text->zip != NULL) {
        const int bytes = zip_read(text->zip, text->buffer, sizeof text->buffer);
        *reason = zip_trouble(text->zip);
        return bytes;
    }
    const int bytes = gzip_read(&text->file, text->path, text->buffer, sizeof text->buffer);
    *reason = bytes < wanted ? gzip_trouble(text->file) : NULL;
    if (!gzip_is_bomb(text->file))
        return bytes;
    *reason = GZIP_REFUSAL;
    return 0;
}

bool text_file_fill(struct text_file *text)
{
    const char *reason = NULL;
    if (text->trouble[0] != '\0')
        return false;
    const int bytes = read_bytes(text, &reason);
    if (reason != NULL)
        snprintf(text->trouble, sizeof text->trouble, "%s", reason);
    text->at = text->buffer;
    text->end = text->buffer + (bytes > 0 ? bytes : 0);
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

static int begin(struct text_file *text, struct engine_error *error)
{
    text->line = 0;
    text->line_begins = true;
    text->trouble[0] = '\0';
    text->at = text->end = text->buffer;
    if (text_file_fill(text) && text->end - text->at >= 3 && memcmp(text->at, "\xEF\xBB\xBF", 3) == 0)
        text->at += 3;
    return text->at == text->end ? text_file_check(text, error) : 0;
}

/* Continues with the pattern in the archive that `text` has opened. */
static int enter_archive(struct text_file *text, struct engine_error *error)
{
    if (zip_open(&text->zip, text->path, error) != 0)
        return error->status;
    const size_t size = strlen(text->path) + strlen(zip_name(text->zip)) + 2;
    char *path = malloc(size);
    if (path == NULL)
        return error_memory(error, size, "a file's name");
    snprintf(path, size, "%s/%s", text->path, zip_name(text->zip));
    free(text->path);
    text->path = path;
    return begin(text, error);
}

int text_file_open(struct text_file **text, const char *path, struct engine_error *error)
{
    *text = NULL;
    struct text_file *made = calloc(1, sizeof *made);
    if (made == NULL || (made->path = strdup(path)) == NULL) {
        free(made);
        return error_memory(error, sizeof *made, "reading a file");
    }
    errno = 0;
    made->file = gzopen(path, "rb");
    int status = made->file != NULL
                     ? begin(made, error)
                     : error_set(error, ENGINE_STATUS_INPUT, "%s: %s", path, strerror(errno ? errno : ENOMEM));
    if (status == 0 && made->end - made->at >= 4 && gzdirect(made->file) && memcmp(made->at, "PK\x03\x04", 4) == 0)
        status = enter_archive(made, error);
    if (status != 0) {
        text_file_close(made);
        return status;
    }
    *text = made;
    return 0;
}

void text_file_close(struct text_file *text)
{
    if (text == NULL)
        return;
    if (text->file != NULL)
        gzclose(text->file); /* text_file_check has reported every error of reading */
    zip_close(text->zip);
    free(text->path);
    free(text);
}

int text_file_rewind(struct text_file *text, struct engine_error *error)
{
    if (text->zip != NULL)
        zip_rewind(text->zip);
    else if (gzrewind(text->file) != 0)
        return error_set(error, ENGINE_STATUS_INPUT, "%s: cannot be read twice", text->path);
    return begin(text, error);
}

static int say(const struct text_file *text, const char *reason, struct engine_error *error)
{
    if (text->line == 0)
        return error_set(error, ENGINE_STATUS_INPUT, "%s: %s", text->path, reason);
    return error_set(error, ENGINE_STATUS_INPUT, "%s:%llu: %s", text->path, (unsigned long long) text->line, reason);
}

int text_file_error(const struct text_file *text, struct engine_error *error, const char *format, ...)
{
    if (text_file_check(text, error) != 0)
        return error->status;
    char reason[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reason, sizeof reason, format, arguments);
    va_end(arguments);
    return say(text, reason, error);
}

int text_file_check(const struct text_file *text, struct engine_error *error)
{
    return text->trouble[0] != '\0' ? say(text, text->trouble, error) : 0;
}

int text_file_check_printable(const struct text_file *text, const char *part, const char *what,
                              struct engine_error *error)
{
    while (*part >= ' ' && *part < 127)
        part++;
    return *part == '\0' ? 0
                         : text_file_error(text, error, "%s has the byte 0x%02X; expected printable ASCII", what,
                                           (unsigned char) *part);
}

int text_file_drain(struct text_file *text, struct engine_error *error)
{
    while (text_file_fill(text))
        ;
    text->at = text->end;
    return text_file_check(text, error);
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
    }
    buffer[length] = '\0';
    return found && text->trouble[0] == '\0';
}

void text_file_skip_line(struct text_file *text)
{
    for (int byte = 0; byte != -1 && byte != '\n';)
        byte = text_file_get(text);
}
