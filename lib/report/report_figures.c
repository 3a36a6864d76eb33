/* The figures of a page: metrics over steps as curves (SVG), pictures as data URLs (RFC 2397). */
#include "report/report_figures.h"
#include "base/error.h"
#include "files/json.h"
#include "formats/pictures/plot.h"
#include "report/report_damage.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Metrics: a panel for each column of a CSV file, or for the components of a quantity ----------------------  */

enum { METRICS_MOST = 1 << 30 }; /* bytes */
enum { COLUMNS_MAX = 256, WIDTH = 720, LEFT = 110, RIGHT = 20, TOP = 26, PANEL = 110, GAP = 40 };

struct metric_table {
    uint32_t columns;
    char *names[COLUMNS_MAX];
    uint64_t rows;
    uint64_t wrong;  /* the number of a line that is no row of numbers; 0: there is none */
    bool torn;       /* it is the last line */
    double *numbers; /* column after column: row r of column c is numbers[c * rows + r] */
};

/* Reads the names in the first line, and cuts the line apart in place. */
static void read_names(struct metric_table *table, char *line)
{
    char *rest = NULL;
    for (char *name = strtok_r(line, ",", &rest); name && table->columns < COLUMNS_MAX;
         name = strtok_r(NULL, ",", &rest))
        table->names[table->columns++] = name;
}

/* Reads the numbers of a line. Returns false if there are too few, as in a last line that was cut short. */
static bool read_row(const struct metric_table *table, const char *line, uint64_t row, uint64_t room)
{
    for (uint32_t column = 0; column < table->columns; column++) {
        char *end;
        table->numbers[column * room + row] = strtod(line, &end);
        if (end == line || (*end != ',' && column + 1 < table->columns))
            return false;
        line = end + (*end == ',');
    }
    return true;
}

static uint64_t count_lines(const char *text)
{
    uint64_t lines = 0;
    for (; *text; text++)
        lines += *text == '\n';
    return lines;
}

/* Reads a CSV text. Cuts the text apart, and the names point into it. */
static int read_table(struct metric_table *table, char *text, struct engine_error *error)
{
    const uint64_t room = count_lines(text) + 1;
    char *rest = NULL, *line = strtok_r(text, "\n", &rest);
    *table = (struct metric_table){.columns = 0};
    if (line)
        read_names(table, line);
    table->numbers = calloc(room * (table->columns + 1u), sizeof *table->numbers);
    if (!table->numbers)
        return error_memory(error, room * sizeof *table->numbers, "metrics");
    while ((line = strtok_r(NULL, "\n", &rest)) && read_row(table, line, table->rows, room))
        table->rows++;
    table->wrong = line ? table->rows + 2 : 0;
    table->torn = line && !strtok_r(NULL, "\n", &rest);
    for (uint32_t column = 1; column < table->columns; column++)
        memmove(table->numbers + column * table->rows, table->numbers + column * room,
                table->rows * sizeof *table->numbers);
    return 0;
}

/* Are these the names of components of one quantity, such as momentum_x and momentum_y? */
static bool are_components(const char *a, const char *b)
{
    const size_t length = strlen(a);
    return length > 2 && length == strlen(b) && a[length - 2] == '_' && strncmp(a, b, length - 1) == 0 &&
           strchr("xyz", a[length - 1]) && strchr("xyz", b[length - 1]);
}

/* The columns [column, end) have one panel, and so one scale. */
static uint32_t panel_end(const struct metric_table *table, uint32_t column)
{
    uint32_t end = column + 1;
    while (end < table->columns && are_components(table->names[column], table->names[end]))
        end++;
    return end;
}

/* The unit that the summary gives for a metric, or "". */
static const char *unit_of(const struct report_folder *folder, const char *file, const char *metric)
{
    struct json_object *of = folder->summary;
    if (strcmp(file, "metrics.csv") != 0)
        of = json_member(of, "analysis", json_type_object);
    struct json_object *units = json_member(of, "units", json_type_object);
    return units ? report_text(units, metric) : "";
}

/* Names the curves of a panel side by side. */
static void put_names(FILE *page, const struct report_folder *folder, const struct metric_table *table,
                      const char *file, uint32_t column, double y)
{
    enum { LETTER = 8, SPACE = 16 }; /* at least as wide as a letter of plot_text */
    double x = LEFT;
    for (const uint32_t end = panel_end(table, column); column < end; column++) {
        char text[256];
        const char *unit = unit_of(folder, file, table->names[column]);
        snprintf(text, sizeof text, *unit ? "%s (%s)" : "%s%s", table->names[column], unit);
        plot_text(page, x, y, "start", plot_color(column - 1), text);
        x += SPACE + LETTER * (double) strlen(text);
    }
}

/* Draws a panel and returns the first column of the next one. */
static uint32_t put_panel(FILE *page, const struct report_folder *folder, const struct metric_table *table,
                          const char *file, uint32_t column, uint32_t panel)
{
    const uint32_t end = panel_end(table, column);
    const double *steps = table->numbers, *numbers = steps + column * table->rows;
    struct plot_axis along = plot_axis_of(steps, table->rows, 0.1, 8),
                     up = plot_axis_of(numbers, (end - column) * table->rows, 0.2, 3);
    plot_round(&up);
    along.begin = LEFT;
    along.end = WIDTH - RIGHT;
    up.end = TOP + (double) panel * (PANEL + GAP);
    up.begin = up.end + PANEL;
    plot_axes(page, &along, &up);
    for (uint32_t i = column; i < end; i++, numbers += table->rows)
        plot_curve(page, &along, &up, steps, numbers, table->rows, plot_color(i - 1));
    put_names(page, folder, table, file, column, up.end - 6);
    return end;
}

static void put_table(FILE *page, const struct report_folder *folder, const struct metric_table *table,
                      const char *name)
{
    uint32_t panels = 0, panel = 0;
    for (uint32_t column = 1; column < table->columns; column = panel_end(table, column))
        panels++;
    fputs("<h2>", page);
    plot_put(page, name);
    fputs("</h2>\n", page);
    plot_begin(page, WIDTH, TOP + (int) panels * (PANEL + GAP));
    for (uint32_t column = 1; column < table->columns; panel++)
        column = put_panel(page, folder, table, name, column, panel);
    plot_text(page, (LEFT + WIDTH - RIGHT) / 2.0, TOP + (int) panels * (PANEL + GAP) - 6, "middle", "#000000",
              table->names[0]);
    plot_end(page);
}

/* Says in the page, and to the caller, why a file is not shown. The page shows the others. Returns only the errors that
 * end the page. */
static int put_reason(FILE *page, const struct report_folder *folder, const char *name,
                      const struct engine_error *error)
{
    char text[sizeof error->text + 64];
    snprintf(text, sizeof text, "%s; the page does not show this file", error->text);
    engine_message(folder->context, ENGINE_LOG_WARNING, text);
    fputs("<p>", page);
    plot_put(page, name);
    fputs(" is not shown: ", page);
    plot_put(page, error->text);
    fputs("</p>\n", page);
    return error->status == ENGINE_STATUS_DEVICE ? error->status : 0;
}

/* Puts the curves of a table. A run that has not ended may have no row yet, and may have torn the last one. */
static int show_table(FILE *page, const struct report_folder *folder, const struct metric_table *table,
                      const char *name, struct engine_error *error)
{
    const bool ended = folder->summary != NULL;
    if (table->wrong > 0 && (ended || !table->torn))
        error_set(error, ENGINE_STATUS_INPUT, "%s/%s: is damaged: line %llu is not a row of %u numbers", folder->path,
                  name, (unsigned long long) table->wrong, table->columns);
    else if (table->columns == 0 || (ended && table->rows == 0))
        error_set(error, ENGINE_STATUS_INPUT, "%s/%s: has no row of numbers", folder->path, name);
    else {
        if (table->rows > 1 && table->columns > 1)
            put_table(page, folder, table, name);
        return 0;
    }
    return put_reason(page, folder, name, error);
}

int report_metrics(FILE *page, const struct report_folder *folder, const char *name, struct engine_error *error)
{
    struct metric_table table;
    char *text;
    size_t count;
    if (folder_read(folder->folder, name, METRICS_MOST, &text, &count, error) != 0)
        return put_reason(page, folder, name, error);
    int status = read_table(&table, text, error);
    if (status == 0)
        status = show_table(page, folder, &table, name, error);
    free(table.numbers);
    free(text);
    return status;
}

/* ---- Pictures ----------------------------------------------------------------------------------------------- */

enum { PICTURE_MOST = 32 << 20 }; /* bytes; a larger picture is better opened from its own file */

/* Base64: https://www.rfc-editor.org/rfc/rfc4648, section 4. */
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

/* Is it a PNG file that is wider than the page shows it, 28 rem of 16 pixels? The width is in the first chunk. */
static bool is_large(const char *bytes, size_t count)
{
    enum { WIDTH_AT = 16, SHOWN = 28 * 16 };
    const unsigned char *width = (const unsigned char *) bytes + WIDTH_AT; /* big-endian */
    return count >= WIDTH_AT + 4 && memcmp(bytes, "\x89PNG", 4) == 0 &&
           (width[0] || width[1] || 256 * width[2] + width[3] > SHOWN);
}

/* Puts a picture into the page, as a data URL in an element img: there, browsers run no script of an SVG file, and
 * fetch nothing that it refers to. */
static int put_picture(FILE *page, const struct report_folder *folder, const char *name, const char *type,
                       struct engine_error *error)
{
    char *bytes;
    size_t count;
    if (folder_read(folder->folder, name, PICTURE_MOST, &bytes, &count, error) != 0)
        return put_reason(page, folder, name, error);
    const char *damage = report_damage(type, bytes, count);
    if (damage) {
        free(bytes);
        error_set(error, ENGINE_STATUS_INPUT, "%s/%s: %s", folder->path, name, damage);
        return put_reason(page, folder, name, error);
    }
    fputs("<figure><img alt=\"", page);
    plot_put(page, name);
    fprintf(page, "\" %ssrc=\"data:image/%s;base64,", is_large(bytes, count) ? "class=\"large\" " : "", type);
    put_base64(page, bytes, count);
    fputs("\"><br><figcaption>", page);
    plot_put(page, name);
    fputs("</figcaption></figure>\n", page);
    free(bytes);
    return 0;
}

static bool ends_in(const char *name, const char *ending)
{
    const size_t length = strlen(name), size = strlen(ending);
    return length > size && strcmp(name + length - size, ending) == 0;
}

/* The length of the field's name in a file name such as "cells-0000000300.png"; 0: another file name. */
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

/* Returns whether both files are pictures of the same field. */
static bool same_field(const char *a, const char *b)
{
    const size_t length = field_length(a);
    return length > 0 && length == field_length(b) && strncmp(a, b, length) == 0;
}

/* Returns whether a picture is the first or the last of its field. The files are sorted by name. */
static bool is_shown(const struct report_folder *folder, uint32_t i)
{
    const char *name = folder->files[i];
    const bool first = i == 0 || !same_field(folder->files[i - 1], name);
    const bool last = i + 1 == folder->count || !same_field(folder->files[i + 1], name);
    return field_length(name) > 0 && (first || last);
}

/* Lists the pictures alone. In the folder, other files lie between them, such as cells-0000000000.npy. */
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
            status = put_picture(page, folder, pictures.files[i], "png", error);
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
            status = put_picture(page, folder, folder->files[i], "png", error);
        if (ends_in(folder->files[i], ".svg"))
            status = put_picture(page, folder, folder->files[i], "svg+xml", error);
    }
    if (status == 0 && ftell(page) == before)
        fputs("<p>The run wrote no pictures. <code>[output] formats = png apng</code> in the configuration makes a run "
              "write them.</p>\n",
              page);
    return status;
}
