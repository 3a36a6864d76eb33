/* A ladder as a drawing: a bar for each rung that ran, and a line at the rate that its limit allows. */
#include "base/text.h"
#include "formats/pictures/plot.h"
#include "judge/bench_print.h"

#include <math.h>
#include <string.h>

enum { WIDTH = 960, LEFT = 40, RIGHT = 700, TOP = 66, BAR = 16, RUNG = 44, LINE = 18, LETTERS = 120, MOST = 64 };

static bool is_drawn(const struct bench_row *row)
{
    return row->status == 0 && !isnan(row->rate);
}

/* From 0 on. Where rates are far apart it is logarithmic, and begins a decade below the lowest rate. */
static struct plot_axis rate_axis(const struct bench *bench)
{
    double numbers[2 * MOST] = {0}, least = INFINITY;
    uint64_t count = 0;
    for (uint32_t i = 0; i < bench->count && count + 2 <= 2 * MOST; i++)
        if (is_drawn(&bench->rows[i])) {
            numbers[count++] = bench->rows[i].rate;
            numbers[count++] = isnan(bench->rows[i].most) ? bench->rows[i].rate : bench->rows[i].most;
            least = fmin(least, bench->rows[i].rate);
        }
    struct plot_axis axis = plot_axis_of(numbers, count, 1, 6);
    axis.logarithmic = axis.high > 20 * least;
    if (axis.logarithmic) {
        axis.low = pow(10, floor(log10(least)) - 1);
        axis.high = pow(10, ceil(log10(axis.high)));
    } else
        plot_round(&axis);
    axis.print = text_si;
    axis.begin = LEFT;
    axis.end = RIGHT;
    return axis;
}

/* Draws a rung: its name and what it removes above its bar, and its numbers right of it. */
static void put_rung(FILE *file, const struct bench_row *row, const struct plot_axis *along, double y)
{
    char text[2 * BENCH_CELL], rate[BENCH_CELL] = "", share[BENCH_CELL] = "";
    const bool removes = strcmp(row->removes, "-") != 0;
    snprintf(text, sizeof text, "%s%s%s", row->impl, removes ? " removes " : "", removes ? row->removes : "");
    plot_text(file, LEFT, y, "start", "#000000", text);
    if (!is_drawn(row)) {
        plot_text(file, LEFT, y + LINE, "start", "#b00000", row->status ? row->text : "its rate is not known");
        return;
    }
    fprintf(file, "<rect x=\"%d\" y=\"%.2f\" width=\"%.2f\" height=\"%d\" fill=\"%s\"/>\n", LEFT, y + 6,
            plot_place(along, row->rate) - LEFT, BAR, plot_color(0));
    if (!isnan(row->most))
        fprintf(file, "<path d=\"M%.2f %.2fv%d\" fill=\"none\" stroke=\"%s\" stroke-width=\"3\"/>\n",
                plot_place(along, row->most), y + 4, BAR + 4, plot_color(1));
    bench_write_rate(row, rate);
    bench_write_share(row, share);
    snprintf(text, sizeof text, "%s%s%s", rate, *share ? ", " : "", share);
    plot_text(file, RIGHT + 12, y + 6 + BAR - 3, "start", "#000000", text);
}

static void put_axis(FILE *file, const struct bench *bench, const struct plot_axis *along, double bottom)
{
    const struct plot_axis up = {
        .low = 0, .high = -1, .labels = (const char *const[]){""}, .begin = bottom, .end = TOP};
    const char *unit = "work";
    char text[160];
    for (uint32_t i = bench->count; i-- > 0;)
        unit = bench->rows[i].status == 0 ? bench->rows[i].unit : unit;
    snprintf(text, sizeof text, "%s a second%s; lines: the most that the measured limit allows", unit,
             along->logarithmic ? ", logarithmic" : "");
    plot_axes(file, along, &up);
    plot_text(file, (LEFT + RIGHT) / 2.0, bottom + 38, "middle", "#000000", text);
}

void bench_print_ladder(FILE *to, const struct bench *bench, const char *command)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < bench->count; i++)
        count += !bench->rows[i].absent;
    char absent[BENCH_ABSENT];
    const double bottom = TOP + RUNG * count, end = bottom + 62;
    const struct plot_axis along = rate_axis(bench);
    bench_write_absent(bench, absent);
    const int lines = bench_put_command(NULL, LEFT, end, LETTERS, absent);
    plot_begin(to, WIDTH, (int) end + LINE * (lines + 1 + bench_put_command(NULL, LEFT, end, LETTERS, command)));
    bench_put_heading(to, bench, LEFT);
    put_axis(to, bench, &along, bottom);
    for (uint32_t i = 0, drawn = 0; i < bench->count; i++)
        if (!bench->rows[i].absent)
            put_rung(to, &bench->rows[i], &along, TOP + RUNG * drawn++ + 14);
    bench_put_command(to, LEFT, end, LETTERS, absent);
    bench_put_command(to, LEFT, end + LINE * lines, LETTERS, command);
    plot_end(to);
}
