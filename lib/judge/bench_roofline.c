/* A roofline (S. Williams, A. Waterman and D. Patterson, Communications of the ACM 52, 2009): the rates of a bench below
 * the limits that it has measured. Operations a byte of memory lie along x, operations a second along y, both
 * logarithmic. Each row with a share of a limit is a point. Its distance from the roof is its share. A row without
 * operations lies at the left edge, and a row without bytes at the right edge: the distance is right there too, and the
 * point is a ring. */
#include "base/error.h"
#include "base/text.h"
#include "formats/pictures/plot.h"
#include "judge/bench_print.h"
#include "judge/cost_share.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    LEFT = 96,
    RIGHT = 640,
    TOP = 66,
    HEIGHT = 440,
    LINE = 17,
    MARGIN = 24,
    LETTER = 7,
    LETTERS = 90,
    KINDS = ENGINE_OPS_LOOKUP + 1
};

static const char gray[] = "#555555";

struct point {
    const struct bench_row *row;
    double x, y; /* operations a byte, operations a second */
    bool ring;
    double text; /* place of its label on the page */
};

struct roofline {
    FILE *file;
    const struct bench *bench;
    struct plot_axis along, up;
    uint32_t count;
    struct point *points;
    bool kinds[BENCH_LIMITS_MAX][KINDS]; /* the operations of the rows of each device */
};

/* ---- Points and axes ------------------------------------------------------------------------------------------ */

static double operations(const struct bench_row *row)
{
    return row->cost.operation == ENGINE_OPS_NONE ? 0 : row->cost.operations;
}

static void take_points(struct roofline *roofline)
{
    const struct bench *bench = roofline->bench;
    for (uint32_t i = 0; i < bench->count; i++) {
        const struct bench_row *row = &bench->rows[i];
        const struct bench_limits *limits = row->status == 0 && row->limit ? bench_find_limits(bench, row) : NULL;
        if (!limits || !(limits->limits.copy > 0))
            continue;
        roofline->points[roofline->count++] = (struct point){.row = row, .x = operations(row) / row->cost.bytes};
        roofline->kinds[limits - bench->limits][row->cost.operation] = true;
    }
}

/* Makes a logarithmic axis of whole decades, with some room beside the numbers. */
static void make_axis(struct plot_axis *axis, double low, double high)
{
    axis->logarithmic = true;
    axis->low = pow(10, floor(log10(low) - 0.15));
    axis->high = pow(10, ceil(log10(high) + 0.15));
}

/* The number of operations a byte at which the roof becomes flat; the end of the axis where it does not, or where the
 * limit of this kind is not known. */
static double ridge(const struct roofline *roofline, const struct engine_limits *limits, uint32_t kind)
{
    const double most = cost_limit(limits, kind), end = roofline->along.high;
    return most > 0 ? fmin(most / limits->copy, end) : end;
}

/* Calls `see` for each roof. */
static void each_roof(struct roofline *roofline,
                      void (*see)(struct roofline *roofline, const struct bench_limits *limits, uint32_t kind))
{
    for (uint32_t i = 0; i < roofline->bench->limits_count; i++)
        for (uint32_t kind = 0; kind < KINDS; kind++)
            if (roofline->kinds[i][kind])
                see(roofline, &roofline->bench->limits[i], kind);
}

static void widen(struct plot_axis *axis, double number)
{
    if (number > 0 && isfinite(number))
        axis->low = fmin(axis->low, number), axis->high = fmax(axis->high, number);
}

static void widen_along(struct roofline *roofline, const struct bench_limits *entry, uint32_t kind)
{
    widen(&roofline->along, cost_limit(&entry->limits, kind) / entry->limits.copy);
}

static void widen_up(struct roofline *roofline, const struct bench_limits *entry, uint32_t kind)
{
    widen(&roofline->up, roofline->along.low * entry->limits.copy);
    widen(&roofline->up, ridge(roofline, &entry->limits, kind) * entry->limits.copy);
}

static void find_along(struct roofline *roofline)
{
    struct plot_axis *along = &roofline->along;
    *along = (struct plot_axis){.low = INFINITY, .high = 0, .begin = LEFT, .end = RIGHT};
    for (uint32_t i = 0; i < roofline->count; i++)
        widen(along, roofline->points[i].x);
    each_roof(roofline, widen_along);
    make_axis(along, along->high > 0 ? along->low : 1, along->high > 0 ? along->high : 1);
}

/* Gives each point its place, and finds the vertical axis. */
static void find_up(struct roofline *roofline)
{
    struct plot_axis *up = &roofline->up;
    *up = (struct plot_axis){.low = INFINITY, .high = 0, .print = text_si, .begin = TOP + HEIGHT, .end = TOP};
    for (uint32_t i = 0; i < roofline->count; i++) {
        struct point *point = &roofline->points[i];
        const struct engine_cost *cost = &point->row->cost;
        const double rate = point->row->rate / point->row->run.devices;
        point->ring = !(point->x > 0 && isfinite(point->x));
        if (point->ring)
            point->x = point->x > 0 ? roofline->along.high : roofline->along.low;
        point->y = rate * (operations(point->row) > 0 ? operations(point->row) : cost->bytes * point->x);
        widen(up, point->y);
    }
    each_roof(roofline, widen_up);
    make_axis(up, up->low, up->high);
}

/* ---- Drawing -------------------------------------------------------------------------------------------------- */

/* "copy 20.1 GB/s"; with the device and its threads where the roofs of several are drawn. */
static void name_roof(const struct bench *bench, const struct bench_limits *entry, const char *limit, double most,
                      const char *unit, char text[256])
{
    char number[32], threads[64];
    const bool several = bench->limits_count > 1, same = strcmp(entry->run.device, bench->limits[0].run.device) == 0;
    snprintf(text, 256, "%s %s%s%s%s%s%s", limit, text_si(most, number), unit, several ? ", " : "",
             several ? text_count(entry->run.threads, "thread", threads) : "", several && !same ? ", " : "",
             several && !same ? entry->run.device : "");
}

/* Draws a kind's part of the roof, which is flat. */
static void put_flat(struct roofline *roofline, const struct bench_limits *entry, uint32_t kind)
{
    const double begin = ridge(roofline, &entry->limits, kind), most = cost_limit(&entry->limits, kind);
    if (begin >= roofline->along.high)
        return;
    char text[256];
    plot_curve(roofline->file, &roofline->along, &roofline->up, (double[]){begin, roofline->along.high},
               (double[]){most, most}, 2, gray);
    name_roof(roofline->bench, entry, engine_operation_name(kind), most, "/s", text);
    plot_text(roofline->file, roofline->along.end - 4, plot_place(&roofline->up, most) - 6, "end", gray, text);
}

/* Draws the slope of a device, up to the last ridge. */
static void put_slope(struct roofline *roofline, const struct bench_limits *entry)
{
    const struct plot_axis *along = &roofline->along, *up = &roofline->up;
    const double copy = entry->limits.copy;
    double end = 0;
    for (uint32_t kind = 0; kind < KINDS; kind++)
        if (roofline->kinds[entry - roofline->bench->limits][kind])
            end = fmax(end, ridge(roofline, &entry->limits, kind));
    if (end <= along->low)
        return;
    const double across = plot_place(along, end) - along->begin, bottom = plot_place(up, along->low * copy),
                 rise = bottom - plot_place(up, end * copy);
    char text[256];
    plot_curve(roofline->file, along, up, (double[]){along->low, end}, (double[]){along->low * copy, end * copy}, 2,
               gray);
    name_roof(roofline->bench, entry, "copy", copy, "B/s", text);
    plot_text_turned(roofline->file, along->begin + 8, bottom - 8 * rise / across - 6,
                     atan2(rise, across) * 180 / acos(-1), "start", text);
}

static int by_height(const void *a, const void *b)
{
    const double first = ((const struct point *) a)->y, second = ((const struct point *) b)->y;
    return (first < second) - (first > second);
}

/* Places the labels right of the panel, each as high as its point, but none over another. Returns the end of the
 * last. */
static double place_labels(struct roofline *roofline)
{
    double next = TOP;
    qsort(roofline->points, roofline->count, sizeof *roofline->points, by_height);
    for (uint32_t i = 0; i < roofline->count; i++) {
        struct point *point = &roofline->points[i];
        point->text = fmax(plot_place(&roofline->up, point->y), next);
        next = point->text + LINE;
    }
    return next;
}

static int name_point(const struct roofline *roofline, const struct point *point, char text[BENCH_LABEL + 64])
{
    char label[BENCH_LABEL];
    bench_row_label(roofline->bench, point->row, roofline->bench->sweeps->count, label);
    return snprintf(text, BENCH_LABEL + 64, "%s: %.1f %% of %s", label, 100 * point->row->share, point->row->limit);
}

static void put_point(const struct roofline *roofline, const struct point *point, const char *color)
{
    char text[BENCH_LABEL + 64];
    name_point(roofline, point, text);
    fprintf(roofline->file, "<path d=\"M%.2f %.2fL%d %.2f\" fill=\"none\" stroke=\"#cccccc\"/>\n",
            plot_place(&roofline->along, point->x), plot_place(&roofline->up, point->y), RIGHT + 14, point->text);
    plot_dots(roofline->file, &roofline->along, &roofline->up, &point->x, &point->y, 1, point->ring, color);
    plot_text(roofline->file, RIGHT + 18, point->text + 4, "start", color, text);
}

static void put_axes(const struct roofline *roofline)
{
    const double middle = (LEFT + RIGHT) / 2.0, bottom = TOP + HEIGHT;
    const char *of = bench_is_divided(roofline->bench) ? " of one device" : "";
    char text[64];
    snprintf(text, sizeof text, "operations%s a second", of);
    plot_axes(roofline->file, &roofline->along, &roofline->up);
    plot_text_upwards(roofline->file, 20, TOP + HEIGHT / 2.0, text);
    plot_text(roofline->file, middle, bottom + 42, "middle", "#000000", "operations a byte of memory");
    for (uint32_t i = 0; i < roofline->count; i++)
        if (roofline->points[i].ring) {
            plot_text(roofline->file, middle, bottom + 60, "middle", "#777777",
                      "rings: the cost has no operations (left edge), or no bytes (right edge)");
            return;
        }
}

static void draw(struct roofline *roofline, const char *command)
{
    int letters = 0;
    char text[BENCH_LABEL + 64];
    find_along(roofline);
    find_up(roofline);
    const double end = fmax(place_labels(roofline), TOP + HEIGHT + 66);
    for (uint32_t i = 0; i < roofline->count; i++)
        letters = (int) fmax(letters, name_point(roofline, &roofline->points[i], text));
    plot_begin(roofline->file, RIGHT + MARGIN + LETTER * letters + MARGIN,
               (int) end + MARGIN + LINE * bench_put_command(NULL, LEFT, end, LETTERS, command));
    bench_put_heading(roofline->file, roofline->bench, LEFT);
    bench_put_command(roofline->file, LEFT, end + LINE, LETTERS, command);
    put_axes(roofline);
    for (uint32_t i = 0; i < roofline->bench->limits_count; i++)
        put_slope(roofline, &roofline->bench->limits[i]);
    each_roof(roofline, put_flat);
    for (uint32_t i = 0; i < roofline->count; i++)
        put_point(roofline, &roofline->points[i], plot_color(i));
    plot_end(roofline->file);
}

static void draw_nothing(FILE *file, const struct bench *bench, const char *command)
{
    plot_begin(file, RIGHT + MARGIN, TOP + HEIGHT);
    bench_put_heading(file, bench, LEFT);
    bench_put_command(file, LEFT, TOP + 3 * LINE, LETTERS, command);
    plot_text(file, LEFT, TOP + LINE, "start", "#b00000", "no row has a share of a limit, so there is nothing to draw");
    plot_end(file);
}

int bench_print_roofline(FILE *to, const struct bench *bench, const char *command, struct engine_error *error)
{
    struct roofline roofline = {.file = to, .bench = bench, .points = calloc(bench->count, sizeof *roofline.points)};
    if (!roofline.points)
        return error_memory(error, bench->count, "a roofline");
    take_points(&roofline);
    if (roofline.count)
        draw(&roofline, command);
    else
        draw_nothing(to, bench, command);
    free(roofline.points);
    return 0;
}
