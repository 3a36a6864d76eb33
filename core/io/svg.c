/* Tables of bins as a drawing, https://www.w3.org/TR/SVG11/: the first array runs along x, each other array has a panel
 * with a line for each of its components. */
#include "formats.h"
#include "table.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { WIDTH = 720, LEFT = 84, RIGHT = 20, TOP = 24, PANEL = 210, GAP = 34, BOTTOM = 52, COLORS = 7 };

/* Okabe and Ito's, which people with any colour vision tell apart. */
static const char *const colors[COLORS] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000"};

/* A span of numbers, and where it lies on the page. */
struct axis {
    double low, high, tick;
    double begin, end; /* of the page, in pixels */
};

struct drawing {
    FILE *file;
    const struct table *table;
    const struct table_part *x; /* NULL: rows are counted */
    struct axis along;
    uint32_t panels;
};

/* ---- Axes --------------------------------------------------------------------------------------------------- */

static double place(const struct axis *axis, double number)
{
    return axis->begin + (number - axis->low) / (axis->high - axis->low) * (axis->end - axis->begin);
}

/* Infinity and NaN have no place on a page, nor have numbers whose differences overflow. */
static bool drawable(double number)
{
    return fabs(number) <= 1e300;
}

/* 1, 2 or 5 times a power of ten, about `count` of which make up the span. */
static double nice_tick(double span, int count)
{
    const double rough = span / count, power = pow(10, floor(log10(rough)));
    const double share = rough / power;
    return power * (share <= 1 ? 1 : share <= 2 ? 2 : share <= 5 ? 5 : 10);
}

/* An axis for these numbers, from 0 where the lowest is above that and at most this share of the highest. */
static struct axis span_of(const struct table_part *part, uint64_t count, double share, int ticks)
{
    double low = INFINITY, high = -INFINITY;
    for (uint64_t i = 0; i < count; i++) {
        const double number = table_number(part, i);
        low = drawable(number) ? fmin(low, number) : low;
        high = drawable(number) ? fmax(high, number) : high;
    }
    if (!(low <= high))
        low = 0, high = 1;
    low = low > 0 && low <= share * high ? 0 : low;
    if (high - low <= fmax(1e-12 * fmax(fabs(low), fabs(high)), 1e-300)) {
        const double middle = low, half = fabs(middle) > 1e-300 ? fabs(middle) / 2 : 1;
        low = middle - half;
        high = middle + half;
    }
    return (struct axis){.low = low, .high = high, .tick = nice_tick(high - low, ticks)};
}

/* Room above the highest number; the axis ends at a tick. */
static void round_up(struct axis *axis)
{
    axis->low = floor(axis->low / axis->tick) * axis->tick;
    axis->high = ceil(axis->high / axis->tick) * axis->tick;
}

/* ---- Drawing ------------------------------------------------------------------------------------------------ */

static void put_line(FILE *file, double x1, double y1, double x2, double y2, const char *color)
{
    fprintf(file, "<line x1=\"%.2f\" y1=\"%.2f\" x2=\"%.2f\" y2=\"%.2f\" stroke=\"%s\"/>\n", x1, y1, x2, y2, color);
}

static void put_text(FILE *file, double x, double y, const char *anchor, const char *color, const char *text)
{
    fprintf(file, "<text x=\"%.2f\" y=\"%.2f\" text-anchor=\"%s\" fill=\"%s\">%s</text>\n", x, y, anchor, color, text);
}

/* Multiples of the tick that lie on the axis, by their index; tiny remainders of a sum become 0. */
static double tick_at(const struct axis *axis, int index)
{
    const double number = (ceil(axis->low / axis->tick - 1e-9) + index) * axis->tick;
    return number <= axis->high + 1e-9 * axis->tick ? (fabs(number) < 1e-9 * axis->tick ? 0 : number) : NAN;
}

static void put_ticks(const struct drawing *drawing, const struct axis *up)
{
    FILE *file = drawing->file;
    const struct axis *along = &drawing->along;
    char text[32];
    double number;
    for (int i = 0; !isnan(number = tick_at(up, i)); i++) {
        const double y = place(up, number);
        put_line(file, along->begin, y, along->end, y, "#dddddd");
        snprintf(text, sizeof text, "%.6g", number);
        put_text(file, along->begin - 8, y + 4, "end", "#333333", text);
    }
    for (int i = 0; !isnan(number = tick_at(along, i)); i++) {
        const double x = place(along, number);
        put_line(file, x, up->begin, x, up->begin + 5, "#333333");
        snprintf(text, sizeof text, "%.6g", number);
        put_text(file, x, up->begin + 19, "middle", "#333333", text);
    }
    fprintf(file, "<path d=\"M%.2f %.2fV%.2fH%.2f\" fill=\"none\" stroke=\"#333333\"/>\n", along->begin, up->end,
            up->begin, along->end);
}

/* Numbers that have no place break the line; one alone is a dot. */
static void put_curve(const struct drawing *drawing, const struct table_part *part, uint64_t column,
                      const struct axis *up)
{
    bool down = false;
    fprintf(drawing->file,
            "<path fill=\"none\" stroke-width=\"1.6\" stroke-linejoin=\"round\" stroke-linecap=\"round\" stroke=\"%s\" "
            "d=\"",
            colors[column % COLORS]);
    for (uint64_t row = 0; row < drawing->table->rows; row++) {
        const double x = drawing->x != NULL ? table_number(drawing->x, row) : (double) row;
        const double y = table_number(part, table_element(drawing->table, part, row, column));
        const bool there = drawable(x) && drawable(y);
        if (there)
            fprintf(drawing->file, "%s%.2f %.2f%s", down ? "L" : "M", place(&drawing->along, x), place(up, y),
                    down ? "" : "h0");
        down = there;
    }
    fprintf(drawing->file, "\"/>\n");
}

static void put_panel(struct drawing *drawing, const struct table_part *part)
{
    struct axis up = span_of(part, drawing->table->rows * part->columns, 1, 5);
    char name[64];
    round_up(&up);
    up.end = TOP + (double) drawing->panels * (PANEL + GAP);
    up.begin = up.end + PANEL;
    put_ticks(drawing, &up);
    for (uint64_t column = 0; column < part->columns; column++)
        put_curve(drawing, part, column, &up);
    fprintf(drawing->file, "<text transform=\"translate(20 %.2f) rotate(-90)\" text-anchor=\"middle\">%s</text>\n",
            (up.begin + up.end) / 2, part->name);
    for (uint64_t column = 0; part->columns > 1 && column < part->columns && column < 12; column++)
        put_text(drawing->file, WIDTH - RIGHT - 6, up.end + 14 + 15 * (double) column, "end", colors[column % COLORS],
                 table_name(part, column, name));
    drawing->panels++;
}

/* Text as XML has it. */
static int put_note(void *context, const char *key, const char *line, int length)
{
    FILE *file = context;
    fprintf(file, "%s: ", key);
    for (int i = 0; i < length; i++)
        fputs(line[i] == '<' ? "&lt;" : line[i] == '&' ? "&amp;" : (const char[]){line[i], '\0'}, file);
    return fputc('\n', file);
}

static void put_notes(FILE *file, const struct io_header *header)
{
    if (header->notes == 0)
        return;
    fputs("<desc>\n", file);
    io_put_notes(header, file, put_note);
    fputs("</desc>\n", file);
}

static void draw(struct drawing *drawing, const struct io_header *header)
{
    const struct table *table = drawing->table;
    const uint32_t first = table->count > 1 && table->part[0].columns == 1 ? 1 : 0;
    const int height = TOP + (int) (table->count - first) * (PANEL + GAP) - GAP + BOTTOM;
    const double last = table->rows > 1 ? (double) (table->rows - 1) : 1;
    drawing->x = first ? &table->part[0] : NULL;
    drawing->along = first ? span_of(&table->part[0], table->rows, 0.1, 8)
                           : (struct axis){.low = 0, .high = last, .tick = fmax(1, nice_tick(last, 8))};
    drawing->along.begin = LEFT;
    drawing->along.end = WIDTH - RIGHT;
    fprintf(drawing->file,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" "
            "font-family=\"sans-serif\" font-size=\"13\">\n<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
            WIDTH, height, WIDTH, height);
    put_notes(drawing->file, header);
    for (uint32_t i = first; i < table->count; i++)
        put_panel(drawing, &table->part[i]);
    put_text(drawing->file, (drawing->along.begin + drawing->along.end) / 2, height - 12, "middle", "#000000",
             first ? table->part[0].name : "bin");
    fprintf(drawing->file, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\" fill=\"#777777\">step %llu</text>\n</svg>\n",
            WIDTH - RIGHT, height - 12, (unsigned long long) header->step);
}

/* One bin makes no line. */
static bool writes(const struct io_array *array)
{
    return table_takes(array) && array->shape.extent[0] > 1;
}

static int write_svg(const char *path, struct io_document *document, const struct io_options *options,
                     struct error *error)
{
    struct table table;
    (void) options;
    if (table_open(document, &table, error) != 0)
        return error->status;
    errno = 0;
    struct drawing drawing = {.file = fopen(path, "we"), .table = &table};
    if (drawing.file != NULL)
        draw(&drawing, &document->header);
    table_close(&table);
    const bool failed = drawing.file == NULL || ferror(drawing.file);
    if ((drawing.file != NULL && fclose(drawing.file) != 0) || failed)
        return error_set(error, STATUS_OUTPUT, "cannot be written: %s", strerror(errno));
    return 0;
}

const struct io_format io_svg = {
    .name = "svg",
    .help = "tables of bins, drawn as lines",
    .endings = ".svg",
    .notes = true,
    .table = true,
    .writes = writes,
    .write = write_svg,
};
