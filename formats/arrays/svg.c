/* Tables of bins as a plot, https://www.w3.org/TR/SVG11/. The first array is the horizontal axis. Each other array has
 * a panel with a line for each of its components, unless the plugin hides it (struct engine_plot). */
#include "files/file.h"
#include "files/file_stream.h"
#include "formats/arrays/table.h"
#include "formats/patterns/pattern.h"
#include "formats/pictures/plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 720, LEFT = 84, RIGHT = 20, TOP = 24, TITLE = 20, PANEL = 210, GAP = 34, BOTTOM = 52, EVENTS = 25 };

struct drawing {
    FILE *file;
    const struct table *table;
    double *x;                  /* of each row; NULL: the number of the row */
    double *y;                  /* memory for the columns of a part */
    double *scale;              /* the same, for those of its numbers that set the scale, and one more */
    const char *title, *length; /* the unit of length, or NULL */
    struct plot_axis along;
    uint32_t panels; /* drawn so far, below each other: */
    double panel, top;
};

/* Copies a column of a part to an array of numbers. */
static void take_column(const struct table *table, const struct table_part *part, uint64_t column, double *out)
{
    for (uint64_t row = 0; row < table->rows; row++)
        out[row] = table_number(part, table_element(table, part, row, column));
}

static const struct table_part *part_named(const struct table *table, const char *name)
{
    for (uint32_t i = 0; name && i < table->count; i++)
        if (strcmp(table->part[i].name, strcmp(name, "counts") == 0 ? "count" : name) == 0)
            return &table->part[i];
    return NULL;
}

/* Is there a panel for this part? If all parts are hidden, all have one. */
static bool is_shown(const struct table *table, uint32_t first, uint32_t index)
{
    bool any = false;
    for (uint32_t i = first; i < table->count; i++)
        any = any || !table->part[i].plot.hidden;
    return !any || !table->part[index].plot.hidden;
}

/* Copies the numbers of bins with enough events. Returns whether others are above those, and so above the scale. */
static bool choose_scale(const struct drawing *drawing, const struct table_part *part, double *highest)
{
    const struct table *table = drawing->table;
    const struct table_part *counts = part_named(table, part->plot.counts);
    const uint64_t all = table->rows * part->columns;
    double others = -INFINITY;
    *highest = -INFINITY;
    for (uint64_t i = 0; i < all; i++) {
        const bool few = counts && counts->columns == part->columns &&
                         table_number(counts, table_element(table, counts, i % table->rows, i / table->rows)) < EVENTS;
        drawing->scale[i] = few ? NAN : drawing->y[i];
        *(few ? &others : highest) = fmax(few ? others : *highest, drawing->y[i]);
    }
    if (!(*highest > -INFINITY))
        memcpy(drawing->scale, drawing->y, all * sizeof *drawing->y);
    return *highest > -INFINITY && others > *highest;
}

static struct plot_axis axis_of(const struct drawing *drawing, const struct table_part *part, bool *cut)
{
    const uint64_t all = drawing->table->rows * part->columns;
    double highest;
    *cut = choose_scale(drawing, part, &highest);
    drawing->scale[all] = part->plot.marked ? part->plot.mark : NAN;
    struct plot_axis up = plot_axis_of(drawing->scale, all + 1, 1, 5);
    plot_round(&up);
    up.end = drawing->top + (double) drawing->panels * (drawing->panel + GAP);
    up.begin = up.end + drawing->panel;
    return up;
}

/* Writes "r (nm)", "q (1/nm)", or the name alone where the unit is not known. */
static const char *label_of(const struct drawing *drawing, const struct table_part *part, char label[64])
{
    const int32_t power = part->plot.lengths;
    if (power == 0 || drawing->length == NULL)
        return part->name;
    snprintf(label, 64, "%s (%s%s)", part->name, power < 0 ? "1/" : "", drawing->length);
    return label;
}

static void put_curves(const struct drawing *drawing, const struct table_part *part, const struct plot_axis *up)
{
    const uint64_t rows = drawing->table->rows;
    plot_clip(drawing->file, &drawing->along, up);
    for (uint64_t column = 0; column < part->columns; column++)
        plot_curve(drawing->file, &drawing->along, up, drawing->x, drawing->y + column * rows, rows,
                   plot_color(column));
    plot_clip_end(drawing->file);
}

static void put_panel(struct drawing *drawing, const struct table_part *part)
{
    const struct table *table = drawing->table;
    char name[TABLE_NAME], label[64], few[64];
    bool cut;
    for (uint64_t column = 0; column < part->columns; column++)
        take_column(table, part, column, drawing->y + column * table->rows);
    const struct plot_axis up = axis_of(drawing, part, &cut);
    plot_axes(drawing->file, &drawing->along, &up);
    put_curves(drawing, part, &up);
    if (part->plot.marked)
        plot_mark(drawing->file, &drawing->along, &up, part->plot.mark);
    plot_text_upwards(drawing->file, 20, (up.begin + up.end) / 2, label_of(drawing, part, label));
    double line = up.end + 14;
    for (uint64_t column = 0; part->columns > 1 && column < part->columns && column < 12; column++, line += 15)
        plot_text(drawing->file, WIDTH - RIGHT - 6, line, "end", plot_color(column), table_name(part, column, name));
    snprintf(few, sizeof few, "bins with a count below %d do not set the scale", EVENTS);
    if (cut)
        plot_text(drawing->file, WIDTH - RIGHT - 6, line, "end", "#777777", few);
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

/* Chooses the height of the panels: one is as high as two. */
static int lay_out(struct drawing *drawing, uint32_t first)
{
    int panels = 0;
    for (uint32_t i = first; i < drawing->table->count; i++)
        panels += is_shown(drawing->table, first, i);
    drawing->panel = panels > 1 ? PANEL : 2 * PANEL;
    drawing->top = TOP + (*drawing->title != '\0' ? TITLE : 0);
    return (int) (drawing->top + panels * (drawing->panel + GAP)) - GAP + BOTTOM;
}

static void draw(struct drawing *drawing, const struct engine_file_frame *frame)
{
    const struct table *table = drawing->table;
    const uint32_t first = table->count > 1 && table->part[0].columns == 1 ? 1 : 0;
    const int height = lay_out(drawing, first);
    char step[48], label[64];
    choose_along(drawing, first);
    if (!first)
        drawing->x = NULL;
    plot_begin(drawing->file, WIDTH, height);
    if (frame->content->note_count > 0) {
        fputs("<desc>\n", drawing->file);
        pattern_put_notes(frame->content, drawing->file, put_note);
        fputs("</desc>\n", drawing->file);
    }
    if (*drawing->title != '\0')
        plot_text(drawing->file, LEFT, TOP, "start", "#000000", drawing->title);
    for (uint32_t i = first; i < table->count; i++)
        if (is_shown(table, first, i))
            put_panel(drawing, &table->part[i]);
    plot_text(drawing->file, (drawing->along.begin + drawing->along.end) / 2, height - 12, "middle", "#000000",
              first ? label_of(drawing, &table->part[0], label) : "bin");
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
                              .y = file->allocate(file, across * columns),
                              .scale = file->allocate(file, across * columns + sizeof(double)),
                              .title = file_document(file)->title,
                              .length = document_length(file_document(file))};
    if (drawing.file == NULL)
        return ENGINE_NO_MEMORY;
    const bool memory = drawing.x != NULL && drawing.y != NULL && drawing.scale != NULL;
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
