/* Pictures within a page: PNG as data URLs (RFC 2397), SVG as it is. */
#include "io/plot.h"
#include "report/report.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { FILM_MOST = 32 << 20 }; /* bytes; larger ones a browser opens better from their file */

/* https://www.rfc-editor.org/rfc/rfc4648, section 4 */
static void put_base64(FILE *page, const char *bytes, size_t count)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < count; i += 3) {
        uint32_t three = 0;
        for (size_t k = 0; k < 3; k++)
            three = three << 8 | (i + k < count ? (uint8_t) bytes[i + k] : 0u);
        for (size_t k = 0; k < 4; k++)
            fputc(i + k > count ? '=' : digits[three >> (18 - 6 * k) & 63], page);
    }
}

static void put_caption(FILE *page, const char *text)
{
    fputs("<figcaption>", page);
    plot_escape(page, text, (int) strlen(text));
    fputs("</figcaption></figure>\n", page);
}

/* Films are PNG, too. */
static int put_image(FILE *page, const struct report_folder *folder, const char *name, struct engine_error *error)
{
    char *bytes;
    size_t count;
    if (report_read(folder->path, name, &bytes, &count, error) != 0)
        return error->status;
    fputs("<figure>", page);
    if (count <= FILM_MOST) {
        fputs("<img alt=\"\" src=\"data:image/png;base64,", page);
        put_base64(page, bytes, count);
        fputs("\"><br>", page);
    }
    put_caption(page, name);
    free(bytes);
    return 0;
}

static int put_drawing(FILE *page, const struct report_folder *folder, const char *name, struct engine_error *error)
{
    char *bytes;
    size_t count;
    if (report_read(folder->path, name, &bytes, &count, error) != 0)
        return error->status;
    fputs("<figure>", page);
    fwrite(bytes, 1, count, page);
    put_caption(page, name);
    free(bytes);
    return 0;
}

static bool ends_in(const char *name, const char *ending)
{
    const size_t length = strlen(name), size = strlen(ending);
    return length > size && strcmp(name + length - size, ending) == 0;
}

/* The length of the field's name in "cells-0000000300.png"; 0: it is no such file. */
static size_t field_length(const char *name)
{
    const size_t length = strlen(name), tail = strlen("-0000000000.png");
    if (!ends_in(name, ".png") || length <= tail || name[length - tail] != '-')
        return 0;
    for (size_t i = length - tail + 1; i < length - 4; i++)
        if (!isdigit((unsigned char) name[i]))
            return 0;
    return length - tail;
}

/* Are both pictures of one field? */
static bool same_field(const char *a, const char *b)
{
    const size_t length = field_length(a);
    return length > 0 && length == field_length(b) && strncmp(a, b, length) == 0;
}

/* The first and the last of each field: files are in order. */
static bool is_shown(const struct report_folder *folder, uint32_t i)
{
    const char *name = folder->files[i];
    const bool first = i == 0 || !same_field(folder->files[i - 1], name);
    const bool last = i + 1 == folder->count || !same_field(folder->files[i + 1], name);
    return field_length(name) > 0 && (first || last);
}

/* Between pictures of a field there are files of others, as cells-0000000000.npy: the list without them. */
static int list_pictures(const struct report_folder *folder, struct report_folder *pictures, struct engine_error *error)
{
    *pictures = (struct report_folder){.path = folder->path};
    pictures->files = calloc(folder->count + 1u, sizeof *pictures->files);
    if (!pictures->files)
        return error_memory(error, folder->count * sizeof *pictures->files, "a list of pictures");
    for (uint32_t i = 0; i < folder->count; i++)
        if (field_length(folder->files[i]) > 0)
            pictures->files[pictures->count++] = folder->files[i];
    return 0;
}

static int put_pictures(FILE *page, const struct report_folder *folder, struct engine_error *error)
{
    struct report_folder pictures;
    int status = list_pictures(folder, &pictures, error);
    for (uint32_t i = 0; status == 0 && i < pictures.count; i++)
        if (is_shown(&pictures, i))
            status = put_image(page, folder, pictures.files[i], error);
    free(pictures.files);
    return status;
}

int report_pictures(FILE *page, const struct report_folder *folder, struct engine_error *error)
{
    fputs("<h2>Pictures</h2>\n", page);
    const long before = ftell(page);
    int status = put_pictures(page, folder, error);
    for (uint32_t i = 0; status == 0 && i < folder->count; i++) {
        if (ends_in(folder->files[i], ".apng"))
            status = put_image(page, folder, folder->files[i], error);
        if (ends_in(folder->files[i], ".svg"))
            status = put_drawing(page, folder, folder->files[i], error);
    }
    if (status == 0 && ftell(page) == before)
        fputs("<p>None were written: <code>[output] formats = png apng</code> has them.</p>\n", page);
    return status;
}
