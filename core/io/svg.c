/* Tables of bins as a plot, https://www.w3.org/TR/SVG11/. The first array is the horizontal axis. Each other array has
 * a panel with a line for each of its components. */
#include "io/bytes.h"
#include "io/format.h"
#include "io/plot.h"
#include "io/table.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 720, LEFT = 84, RIGHT = 20, TOP = 24, PANEL = 210, GAP = 34, BOTTOM = 52 };

struct drawing {
    FILE *file;
    const struct table *table;
    double *x; /* of each row; NULL: the number of the row */
    double *y; /* memory for the columns of a part */
    struct plot_axis along;
    uint32_t panels;
};

/* Copies a column of a part to an array of numbers. */
static void take_column(const struct table *table, const struct table_part *part, uint64_t column, double *out)
{
    for (uint64_t row = 0; row < table->rows; row++)
        out[row] = table_number(part, table_element(table, part, row, column));
}

static void put_panel(struct drawing *drawing, const struct table_part *part)
{
    const struct table *table = drawing->table;
    char name[64];
    for (uint64_t column = 0; column < part->columns; column++)
        take_column(table, part, column, drawing->y + column * table->rows);
    struct plot_axis up = plot_axis_of(drawing->y, table->rows * part->columns, 1, 5);
    plot_round(&up);
    up.end = TOP + (double) drawing->panels * (PANEL + GAP);
    up.begin = up.end + PANEL;
    plot_axes(drawing->file, &drawing->along, &up);
    for (uint64_t column = 0; column < part->columns; column++)
        plot_curve(drawing->file, &drawing->along, &up, drawing->x, drawing->y + column * table->rows, table->rows,
                   plot_color(column));
    plot_text_upwards(drawing->file, 20, (up.begin + up.end) / 2, part->name);
    for (uint64_t column = 0; part->columns > 1 && column < part->columns && column < 12; column++)
        plot_text(drawing->file, WIDTH - RIGHT - 6, up.end + 14 + 15 * (double) column, "end", plot_color(column),
                  table_name(part, column, name));
    drawing->panels++;
}

static int put_note(void *context, const char *key, const char *line, int length)
{
    fprintf(context, "%s: ", key);
    plot_escape(context, line, length);
    return fputc('\n', context);
}

/* Chooses the horizontal axis: the first part, or the number of the row where the first part has several columns. */
static void choose_along(struct drawing *drawing, bool first)
{
    const double last = drawing->table->rows > 1 ? (double) (drawing->table->rows - 1) : 1;
    const double rows[] = {0, last};
    if (first)
        take_column(drawing->table, &drawing->table->part[0], 0, drawing->x);
    drawing->along = first ? plot_axis_of(drawing->x, drawing->table->rows, 0.1, 8) : plot_axis_of(rows, 2, 0, 8);
    drawing->along.tick = first ? drawing->along.tick : fmax(1, drawing->along.tick);
    drawing->along.begin = LEFT;
    drawing->along.end = WIDTH - RIGHT;
}

static void draw(struct drawing *drawing, const struct io_header *header)
{
    const struct table *table = drawing->table;
    const uint32_t first = table->count > 1 && table->part[0].columns == 1 ? 1 : 0;
    const int height = TOP + (int) (table->count - first) * (PANEL + GAP) - GAP + BOTTOM;
    char step[48];
    choose_along(drawing, first);
    if (!first)
        drawing->x = NULL;
    plot_begin(drawing->file, WIDTH, height);
    if (header->notes > 0) {
        fputs("<desc>\n", drawing->file);
        io_put_notes(header, drawing->file, put_note);
        fputs("</desc>\n", drawing->file);
    }
    for (uint32_t i = first; i < table->count; i++)
        put_panel(drawing, &table->part[i]);
    plot_text(drawing->file, (drawing->along.begin + drawing->along.end) / 2, height - 12, "middle", "#000000",
              first ? table->part[0].name : "bin");
    snprintf(step, sizeof step, "step %llu", (unsigned long long) header->step);
    plot_text(drawing->file, WIDTH - RIGHT, height - 12, "end", "#777777", step);
    plot_end(drawing->file);
}

/* A line needs two bins. */
static bool writes(const struct io_array *array)
{
    return table_takes(array) && array->shape.extent[0] > 1;
}

static int draw_file(int file, struct drawing *drawing, const struct io_header *header, struct engine_error *error)
{
    errno = 0;
    drawing->file = bytes_stream(file);
    if (drawing->file != NULL)
        draw(drawing, header);
    const bool failed = drawing->file == NULL || ferror(drawing->file);
    if ((drawing->file != NULL && fclose(drawing->file) != 0) || failed)
        return error_set(error, ENGINE_STATUS_OUTPUT, "cannot be written: %s", strerror(errno));
    return 0;
}

static int draw_table(int file, const struct table *table, const struct io_header *header, struct engine_error *error)
{
    uint64_t columns = 1;
    for (uint32_t i = 0; i < table->count; i++)
        columns = table->part[i].columns > columns ? table->part[i].columns : columns;
    const size_t across = table->rows * sizeof(double), up = across * columns;
    double *x = malloc(across), *y = malloc(up);
    struct drawing drawing = {.table = table, .x = x, .y = y};
    const int status = x && y ? draw_file(file, &drawing, header, error) : error_memory(error, across + up, "a plot");
    free(x);
    free(y);
    return status;
}

static int write_svg(int file, struct io_document *document, const struct io_options *options,
                     struct engine_error *error)
{
    struct table table;
    (void) options;
    if (table_open(document, &table, error) != 0)
        return error->status;
    const int status = draw_table(file, &table, &document->header, error);
    table_close(&table);
    return status;
}

static const struct engine_file_format about = {
    ENGINE_FILE_FORMAT("svg", "1.0", "tables of bins, drawn as lines", ".svg"),
    .flags = ENGINE_FORMAT_NOTES | ENGINE_FORMAT_TABLES,
};

static const struct io_own own = {
    .writes = writes,
    .write = write_svg,
};

const struct io_format io_svg = {.about = &about, .own = &own};
