/* The rates of a bench as a drawing. Where nothing is swept, each implementation has a bar. Otherwise the last sweep's
 * values lie along x, and each implementation has a curve for each combination of the other sweeps. If rows are divided, a second panel
 * has the efficiencies of the same rows. A ring is a rate that counts work that was skipped. Errors of rows are listed
 * below. */
#include "base/error.h"
#include "base/machine.h"
#include "base/text.h"
#include "formats/pictures/plot.h"
#include "judge/bench_print.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    WIDTH = 960,
    LEFT = 96,
    RIGHT = 24,
    TOP = 66,
    HEIGHT = 400,
    LINE = 18,
    GAP = 32,
    EFFICIENCY = 200,
    LETTERS = 120
};

struct curve {
    char label[BENCH_LABEL];
    double *rates;        /* of each place along x; NaN: none */
    double *efficiencies; /* the same, in percent; in the memory of `rates` */
    double *effective;    /* rates with skipped work; in the memory of `rates` */
};

/* A name beside a curve. */
struct name {
    double y;
    uint32_t curve;
};

struct plot {
    FILE *file;
    const struct bench *bench;
    const struct sweep *along; /* NULL: implementations */
    uint32_t places;
    const char **labels; /* of places */
    double *sizes;       /* of places, if values are sizes that rise; else NULL */
    uint32_t count;
    struct curve *curves;
    struct name *names; /* memory for one of each curve */
    double *all;        /* every rate */
    uint64_t all_count;
    double *efficiencies; /* every efficiency, in percent; in the memory of `all` */
    uint64_t efficiency_count;
};

/* ---- Rows to curves ------------------------------------------------------------------------------------------- */

static uint32_t place_of(const struct plot *plot, const struct bench_row *row)
{
    return plot->along ? (uint32_t) (row->combination % plot->along->count) : (uint32_t) (row - plot->bench->rows);
}

void bench_row_label(const struct bench *bench, const struct bench_row *row, uint32_t sweeps, char label[BENCH_LABEL])
{
    int length = snprintf(label, BENCH_LABEL, "%s", row->impl);
    for (uint32_t s = 0; s < sweeps && length < BENCH_LABEL; s++)
        length += snprintf(label + length, (size_t) (BENCH_LABEL - length), ", %s=%s", bench->sweeps->at[s].name,
                           sweep_value(bench->sweeps, s, row->combination));
}

/* The label of a row's curve; "" where the row's place along x names it. */
static void label_of(const struct plot *plot, const struct bench_row *row, char label[BENCH_LABEL])
{
    label[0] = '\0';
    if (plot->along)
        bench_row_label(plot->bench, row, plot->bench->sweeps->count - 1, label);
}

/* Returns the product of the whole numbers of a value, as of the grid in "64 64:240", or 0 if it is no such value. */
static double size_of(const char *value)
{
    double size = 1;
    for (char *end; *value != '\0' && *value != ':'; value = end + strspn(end, " ")) {
        size *= *value >= '0' && *value <= '9' ? (double) strtoull(value, &end, 10) : 0;
        if (!(size > 0) || !strchr(" :", *end))
            return 0;
    }
    return size;
}

/* Finds the sizes of the places. Labels at logarithmic places must not lie over each other. */
static void find_sizes(struct plot *plot, double width)
{
    enum { LETTER = 8 };
    double *sizes = plot->sizes;
    bool rise = plot->along && plot->places > 1;
    for (uint32_t i = 0; rise && i < plot->places; i++) {
        sizes[i] = size_of(plot->labels[i]);
        rise = sizes[i] > (i > 0 ? sizes[i - 1] : 0);
    }
    for (uint32_t i = 1; rise && i < plot->places; i++) {
        const double gap = width * log(sizes[i] / sizes[i - 1]) / log(sizes[plot->places - 1] / sizes[0]);
        rise = gap > LETTER * (double) (strlen(plot->labels[i]) + strlen(plot->labels[i - 1]) + 2) / 2;
    }
    if (!rise) {
        free(sizes);
        plot->sizes = NULL;
    }
}

/* Finds the curve of a row, or adds it. NULL: no memory. */
static struct curve *curve_of(struct plot *plot, const struct bench_row *row)
{
    char label[BENCH_LABEL];
    label_of(plot, row, label);
    for (uint32_t i = 0; i < plot->count; i++)
        if (strcmp(plot->curves[i].label, label) == 0)
            return &plot->curves[i];
    struct curve *curve = &plot->curves[plot->count];
    curve->rates = malloc((size_t) 3 * plot->places * sizeof *curve->rates);
    curve->efficiencies = curve->rates + plot->places;
    curve->effective = curve->efficiencies + plot->places;
    for (uint32_t i = 0; curve->rates && i < 3 * plot->places; i++)
        curve->rates[i] = NAN;
    memcpy(curve->label, label, sizeof label);
    plot->count += curve->rates != NULL;
    return curve->rates ? curve : NULL;
}

static bool take_row(struct plot *plot, const struct bench_row *row)
{
    struct curve *curve = curve_of(plot, row);
    if (!plot->along)
        plot->labels[place_of(plot, row)] = row->impl;
    if (!curve || row->status != 0)
        return curve != NULL;
    const uint32_t place = place_of(plot, row);
    curve->rates[place] = row->rate;
    if (!isnan(row->rate))
        plot->all[plot->all_count++] = row->rate;
    if (bench_row_skips(row))
        plot->all[plot->all_count++] = curve->effective[place] = row->effective;
    plot->efficiencies[plot->efficiency_count++] = curve->efficiencies[place] = 100 * row->efficiency;
    return true;
}

static bool take_rows(struct plot *plot)
{
    const struct bench *bench = plot->bench;
    plot->along = bench->sweeps->count ? &bench->sweeps->at[bench->sweeps->count - 1] : NULL;
    plot->places = plot->along ? plot->along->count : bench->count;
    plot->labels = calloc(plot->places + 1u, sizeof *plot->labels);
    plot->sizes = calloc(plot->places + 1u, sizeof *plot->sizes);
    plot->curves = calloc(bench->count + 1u, sizeof *plot->curves);
    plot->names = calloc(bench->count + 1u, sizeof *plot->names);
    plot->all = calloc((size_t) 3 * (bench->count + 1u), sizeof *plot->all);
    plot->efficiencies = plot->all + (size_t) 2 * (bench->count + 1u);
    bool taken = plot->labels && plot->sizes && plot->curves && plot->names && plot->all;
    for (uint32_t i = 0; taken && plot->along && i < plot->places; i++)
        plot->labels[i] = plot->along->values[i];
    for (uint32_t i = 0; taken && i < bench->count; i++)
        taken = take_row(plot, &bench->rows[i]);
    return taken;
}

static void release(struct plot *plot)
{
    for (uint32_t i = 0; i < plot->count; i++)
        free(plot->curves[i].rates);
    free(plot->curves);
    free(plot->names);
    free(plot->labels);
    free(plot->sizes);
    free(plot->all);
}

/* ---- Drawing -------------------------------------------------------------------------------------------------- */

/* The axis begins at 0. Where rates are far apart it is logarithmic. */
static struct plot_axis rate_axis(const struct plot *plot)
{
    struct plot_axis up = plot_axis_of(plot->all, plot->all_count, 1, 6);
    double least = INFINITY;
    for (uint64_t i = 0; i < plot->all_count; i++)
        least = fmin(least, plot->all[i]);
    up.logarithmic = least > 0 && isfinite(least) && up.high > 20 * least;
    if (up.logarithmic) {
        up.low = pow(10, floor(log10(least)));
        up.high = pow(10, ceil(log10(up.high)));
    } else
        plot_round(&up);
    up.print = text_si;
    up.end = TOP + LINE; /* a bar has two lines above it */
    up.begin = up.end + HEIGHT;
    return up;
}

/* The panel below that of the rates. */
static struct plot_axis efficiency_axis(const struct plot *plot, const struct plot_axis *rates)
{
    double highest = 100;
    for (uint64_t i = 0; i < plot->efficiency_count; i++)
        highest = fmax(highest, plot->efficiencies[i]);
    struct plot_axis up = {.high = highest, .tick = 20, .end = rates->begin + GAP};
    up.begin = up.end + EFFICIENCY;
    plot_round(&up);
    return up;
}

void bench_put_heading(FILE *file, const struct bench *bench, double left)
{
    char processor[128], date[32], machine[512];
    const char *device = bench->count && bench->rows[0].run.device ? bench->rows[0].run.device : "";
    machine_processor(processor);
    const bool named = *device == '\0' || strcmp(processor, device) == 0; /* the processor is not named twice */
    plot_text(file, left, 24, "start", "#000000", bench->subject);
    snprintf(machine, sizeof machine, "%s%s%s, engine %s, %s", processor, named ? "" : ", ", named ? "" : device,
             machine_version(), machine_date(date));
    plot_text(file, left, 24 + LINE, "start", "#777777", machine);
}

int bench_put_command(FILE *file, double left, double y, int most, const char *command)
{
    int lines = 0;
    while (command && *command) {
        size_t length = strlen(command);
        char line[4096];
        if (length > (size_t) most) {
            for (length = (size_t) most; length > 0 && command[length] != ' ';)
                length--;
            length = length ? length : strcspn(command, " ");
        }
        snprintf(line, sizeof line, "%.*s", (int) length, command);
        if (file)
            plot_text(file, left, y + LINE * lines, "start", "#777777", line);
        command += length + strspn(command + length, " ");
        lines++;
    }
    return lines;
}

/* Draws a bar for each row that ran, with its rate and its share of a limit. */
static void put_bars(const struct plot *plot, const struct plot_axis *along, const struct plot_axis *up)
{
    const double width = fmin(60, 0.6 * (along->end - along->begin) / plot->places);
    for (uint32_t i = 0; i < plot->bench->count; i++) {
        const struct bench_row *row = &plot->bench->rows[i];
        if (row->status != 0 || isnan(row->rate))
            continue;
        const double x = plot_place(along, i), y = plot_place(up, row->rate);
        char rate[32], share[96];
        snprintf(share, sizeof share, "%.1f %% of %s", 100 * row->share, row->limit);
        fprintf(plot->file, "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" fill=\"%s\"/>\n", x - width / 2,
                y, width, up->begin - y, plot_color(0));
        plot_text(plot->file, x, y - 6 - (row->limit ? LINE - 2 : 0), "middle", "#000000", text_si(row->rate, rate));
        if (row->limit)
            plot_text(plot->file, x, y - 6, "middle", "#777777", share);
    }
}

static void put_curves(const struct plot *plot, const struct plot_axis *along, const struct plot_axis *up,
                       bool efficiencies)
{
    for (uint32_t i = 0; i < plot->count; i++) {
        const struct curve *curve = &plot->curves[i];
        const double *numbers = efficiencies ? curve->efficiencies : curve->rates;
        if (plot->along)
            plot_curve(plot->file, along, up, plot->sizes, numbers, plot->places, plot_color(i));
        if (plot->along || efficiencies)
            plot_dots(plot->file, along, up, plot->sizes, numbers, plot->places, false, plot_color(i));
        if (!efficiencies)
            plot_dots(plot->file, along, up, plot->sizes, curve->effective, plot->places, true, plot_color(i));
    }
}

/* ---- Names beside the curves ---------------------------------------------------------------------------------- */

static int compare_names(const void *a, const void *b)
{
    const double left = ((const struct name *) a)->y, right = ((const struct name *) b)->y;
    return (left > right) - (left < right);
}

/* The last rate of a curve; NaN: it has none, because all its rows failed. */
static double last_rate(const struct plot *plot, const struct curve *curve)
{
    double last = NAN;
    for (uint32_t i = 0; i < plot->places; i++)
        last = !isnan(curve->effective[i]) ? curve->effective[i] : !isnan(curve->rates[i]) ? curve->rates[i] : last;
    return last;
}

/* The room for the names at the right. */
static double names_width(const struct plot *plot)
{
    enum { LETTER = 8 };
    size_t longest = 0;
    for (uint32_t i = 0; i < plot->count; i++) {
        const size_t length = strlen(plot->curves[i].label);
        longest = length > longest && !isnan(last_rate(plot, &plot->curves[i])) ? length : longest;
    }
    return fmin(WIDTH / 3.0, LETTER * (double) longest);
}

/* Puts each name at the height where its curve ends, or below the name before it. */
static void put_names(const struct plot *plot, const struct plot_axis *along, const struct plot_axis *up)
{
    struct name *names = plot->names;
    uint32_t count = 0;
    for (uint32_t i = 0; plot->along && i < plot->count; i++) {
        const double rate = last_rate(plot, &plot->curves[i]);
        if (!isnan(rate))
            names[count++] = (struct name){plot_place(up, rate) + 4, i};
    }
    qsort(names, count, sizeof *names, compare_names);
    for (uint32_t i = 0; i < count; i++) {
        names[i].y = fmin(names[i].y, up->begin - LINE * (double) (count - 1 - i));
        names[i].y = i > 0 ? fmax(names[i].y, names[i - 1].y + LINE) : names[i].y;
        plot_text(plot->file, along->end + 8, names[i].y, "start", plot_color(names[i].curve),
                  plot->curves[names[i].curve].label);
    }
}

/* Draws a panel: its axes, its curves, and what it shows. */
static void put_panel(const struct plot *plot, const struct plot_axis *along, const struct plot_axis *up,
                      bool efficiencies, const char *what)
{
    plot_axes(plot->file, along, up);
    if (!plot->along && !efficiencies)
        put_bars(plot, along, up);
    put_curves(plot, along, up, efficiencies);
    if (!efficiencies)
        put_names(plot, along, up);
    plot_text_upwards(plot->file, 20, (up->begin + up->end) / 2, what);
}

static uint32_t count_failures(const struct bench *bench)
{
    uint32_t failures = 0;
    for (uint32_t i = 0; i < bench->count; i++)
        failures += bench->rows[i].status != 0;
    return failures;
}

static void put_failures(const struct plot *plot, double y)
{
    char label[BENCH_LABEL], text[1024];
    for (uint32_t i = 0; i < plot->bench->count; i++) {
        const struct bench_row *row = &plot->bench->rows[i];
        if (row->status == 0)
            continue;
        label_of(plot, row, label);
        snprintf(text, sizeof text, "%s%s%s: error: %s", label, *label ? ", " : "", plot->labels[place_of(plot, row)],
                 row->text);
        plot_text(plot->file, LEFT, y, "start", "#b00000", text);
        y += LINE;
    }
}

static const char *unit_of(const struct bench *bench)
{
    for (uint32_t i = 0; i < bench->count; i++)
        if (bench->rows[i].status == 0)
            return bench->rows[i].unit;
    return "work";
}

/* Sizes lie at logarithmic places, and other values at equal distances. */
static struct plot_axis axis_along(const struct plot *plot)
{
    const double *sizes = plot->sizes;
    const double margin = sizes ? pow(sizes[plot->places - 1] / sizes[0], 0.1) : 0;
    return (struct plot_axis){.low = sizes ? sizes[0] / margin : -0.5,
                              .high = sizes ? sizes[plot->places - 1] * margin : plot->places - 0.5,
                              .logarithmic = sizes != NULL,
                              .labels = plot->labels,
                              .places = sizes,
                              .begin = LEFT,
                              .end = WIDTH - RIGHT - names_width(plot)};
}

static void draw(const struct plot *plot, const char *command)
{
    const bool divided = bench_is_divided(plot->bench);
    const struct plot_axis up = rate_axis(plot), below = efficiency_axis(plot, &up);
    const double bottom = divided ? below.begin : up.begin;
    const struct plot_axis along = axis_along(plot);
    char unit[128], name[160];
    snprintf(name, sizeof name, "%s%s", plot->along ? plot->along->name : "", plot->sizes ? ", logarithmic" : "");
    snprintf(unit, sizeof unit, "%s a second%s%s", unit_of(plot->bench), up.logarithmic ? ", logarithmic" : "",
             bench_skips(plot->bench) ? "; rings: with skipped work" : "");
    const double end = bottom + 42 + LINE * (1 + count_failures(plot->bench));
    plot_begin(plot->file, WIDTH, (int) end + LINE * (1 + bench_put_command(NULL, LEFT, end, LETTERS, command)));
    bench_put_heading(plot->file, plot->bench, LEFT);
    put_panel(plot, &along, &up, false, unit);
    if (divided)
        put_panel(plot, &along, &below, true, "efficiency, %");
    plot_text(plot->file, (along.begin + along.end) / 2, bottom + 42, "middle", "#000000",
              plot->along ? name : "implementation");
    put_failures(plot, bottom + 42 + LINE);
    bench_put_command(plot->file, LEFT, end + LINE / 2, LETTERS, command);
    plot_end(plot->file);
}

int bench_print_plot(FILE *to, const struct bench *bench, const char *command, struct engine_error *error)
{
    struct plot plot = {.file = to, .bench = bench};
    const bool taken = take_rows(&plot);
    if (taken) {
        find_sizes(&plot, 0.8 * (WIDTH - LEFT - RIGHT - names_width(&plot)));
        draw(&plot, command);
    }
    release(&plot);
    return taken ? 0 : error_memory(error, bench->count, "a plot");
}
