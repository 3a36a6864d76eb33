/* Tables of bins as a plot, https://www.w3.org/TR/SVG11/. The first array is the horizontal axis. Each other array has
 * a panel with a line for each of its components. */
#include "files/file_stream.h"
#include "formats/arrays/table.h"
#include "formats/patterns/pattern.h"
#include "formats/pictures/plot.h"

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
    char name[TABLE_NAME];
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

static void draw(struct drawing *drawing, const struct engine_file_frame *frame)
{
    const struct table *table = drawing->table;
    const uint32_t first = table->count > 1 && table->part[0].columns == 1 ? 1 : 0;
    const int height = TOP + (int) (table->count - first) * (PANEL + GAP) - GAP + BOTTOM;
    char step[48];
    choose_along(drawing, first);
    if (!first)
        drawing->x = NULL;
    plot_begin(drawing->file, WIDTH, height);
    if (frame->content->note_count > 0) {
        fputs("<desc>\n", drawing->file);
        pattern_put_notes(frame->content, drawing->file, put_note);
        fputs("</desc>\n", drawing->file);
    }
    for (uint32_t i = first; i < table->count; i++)
        put_panel(drawing, &table->part[i]);
    plot_text(drawing->file, (drawing->along.begin + drawing->along.end) / 2, height - 12, "middle", "#000000",
              first ? table->part[0].name : "bin");
    snprintf(step, sizeof step, "step %llu", (unsigned long long) frame->step);
    plot_text(drawing->file, WIDTH - RIGHT, height - 12, "end", "#777777", step);
    plot_end(drawing->file);
}

/* A line needs two bins. */
static int holds(const struct engine_file_array *array)
{
    return table_holds(array) && array->shape.extent[0] > 1;
}

static int draw_table(const struct engine_file *file, const struct table *table, const struct engine_file_frame *frame)
{
    uint64_t columns = 1;
    for (uint32_t i = 0; i < table->count; i++)
        columns = table->part[i].columns > columns ? table->part[i].columns : columns;
    const size_t across = table->rows * sizeof(double);
    struct drawing drawing = {.table = table,
                              .file = file_stream_open(file),
                              .x = file->allocate(file, across),
                              .y = file->allocate(file, across * columns)};
    if (drawing.file == NULL)
        return ENGINE_NO_MEMORY;
    const bool memory = drawing.x != NULL && drawing.y != NULL;
    if (memory)
        draw(&drawing, frame);
    return file_stream_close(file, drawing.file, memory ? 0 : ENGINE_NO_MEMORY);
}

static int write_table(const struct engine_file *file, void *self, const struct engine_file_frame *frame)
{
    struct table table;
    (void) self;
    return table_open(file, frame->content, &table) == 0 ? draw_table(file, &table, frame) : ENGINE_INVALID;
}

const struct engine_file_format svg_file_format = {
    ENGINE_FILE_FORMAT("svg", "1.0", "tables of bins, drawn as lines", ".svg"),
    .flags = ENGINE_FORMAT_NOTES | ENGINE_FORMAT_TABLES,
    .create = io_keep_nothing,
    .write = write_table,
    .holds = holds,
    .bytes = ENGINE_SIZE_TEXT,
};
