#include "formats/pictures/plot.h"
#include "base/text.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

static const char *const colors[PLOT_COLORS] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                                "#e69f00", "#56b4e9", "#000000"};

const char *plot_color(uint64_t index)
{
    return colors[index % PLOT_COLORS];
}

/* ---- Axes --------------------------------------------------------------------------------------------------- */

double plot_place(const struct plot_axis *axis, double number)
{
    const double fraction = axis->logarithmic ? log(number / axis->low) / log(axis->high / axis->low)
                                              : (number - axis->low) / (axis->high - axis->low);
    return axis->begin + fraction * (axis->end - axis->begin);
}

/* Infinity, NaN, and numbers whose differences overflow cannot be drawn. */
static bool drawable(double number)
{
    return fabs(number) <= 1e300;
}

static bool has_place(const struct plot_axis *axis, double number)
{
    return drawable(number) && (!axis->logarithmic || number > 0);
}

/* Returns 1, 2 or 5 times a power of ten, which divides the span into about `count` parts. */
static double nice_tick(double span, int count)
{
    const double rough = span / count, power = pow(10, floor(log10(rough)));
    const double ratio = rough / power;
    return power * (ratio <= 1 ? 1 : ratio <= 2 ? 2 : ratio <= 5 ? 5 : 10);
}

struct plot_axis plot_axis_of(const double *numbers, uint64_t count, double fraction, int ticks)
{
    double low = INFINITY, high = -INFINITY;
    for (uint64_t i = 0; i < count; i++) {
        low = drawable(numbers[i]) ? fmin(low, numbers[i]) : low;
        high = drawable(numbers[i]) ? fmax(high, numbers[i]) : high;
    }
    if (!(low <= high))
        low = 0, high = 1;
    low = low > 0 && low <= fraction * high ? 0 : low;
    if (high - low <= fmax(1e-12 * fmax(fabs(low), fabs(high)), 1e-300)) {
        const double middle = low, half = fabs(middle) > 1e-300 ? fabs(middle) / 2 : 1;
        low = middle - half;
        high = middle + half;
    }
    return (struct plot_axis){.low = low, .high = high, .tick = nice_tick(high - low, ticks)};
}

void plot_round(struct plot_axis *axis)
{
    axis->low = floor(axis->low / axis->tick) * axis->tick;
    axis->high = ceil(axis->high / axis->tick) * axis->tick;
}

/* Returns element `index` of 1, 2, 5, 10, 20 … times a power of ten, or of 1, 10, 100 …. */
static double decade_tick(double power, int index, bool tens)
{
    static const double steps[] = {1, 2, 5};
    const int decades = index / 3;
    return tens ? pow(10, power + index) : steps[index % 3] * pow(10, power + decades);
}

/* Returns tick `index` of the axis; NAN after the last. */
static double logarithmic_tick(const struct plot_axis *axis, int index)
{
    const double power = floor(log10(axis->low));
    const bool tens = axis->high > 1e4 * axis->low * (1 + 1e-9); /* labels would lie over each other */
    int first = 0;
    while (decade_tick(power, first, tens) < axis->low * (1 - 1e-9))
        first++;
    const double number = decade_tick(power, first + index, tens);
    return number <= axis->high * (1 + 1e-9) ? number : NAN;
}

/* Returns tick `index` of the axis, NAN after the last. A tick that rounding moved away from 0 is 0. */
static double tick_at(const struct plot_axis *axis, int index)
{
    if (axis->labels != NULL && axis->places != NULL)
        return axis->labels[index] != NULL ? axis->places[index] : (double) NAN;
    if (axis->logarithmic)
        return logarithmic_tick(axis, index);
    if (axis->labels != NULL)
        return index <= axis->high ? (double) index : (double) NAN;
    const double number = (ceil(axis->low / axis->tick - 1e-9) + index) * axis->tick;
    return number <= axis->high + 1e-9 * axis->tick ? (fabs(number) < 1e-9 * axis->tick ? 0 : number) : NAN;
}

static const char *label_at(const struct plot_axis *axis, int index, double number, char text[32])
{
    if (axis->labels != NULL)
        return axis->labels[index];
    if (axis->print != NULL)
        return axis->print(number, text);
    const double most = fmax(fabs(axis->low), fabs(axis->high));
    const int digits = most > axis->tick && axis->tick > 0 ? 1 + (int) ceil(log10(most / axis->tick)) : 1;
    snprintf(text, 32, "%.*g", digits < 6 ? 6 : digits > 17 ? 17 : digits, number);
    return text;
}

/* ---- Drawing ------------------------------------------------------------------------------------------------ */

void plot_begin(FILE *file, int width, int height)
{
    fprintf(file,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" "
            "font-family=\"sans-serif\" font-size=\"13\">\n<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
            width, height, width, height);
}

void plot_end(FILE *file)
{
    fputs("</svg>\n", file);
}

/* Returns the entity for a character that has a meaning in XML, U+FFFD for a control character, which XML cannot hold,
 * or NULL for other characters. */
static const char *entity_of(char character)
{
    static const char meanings[] = "<&\"\t\n\r";
    static const char *const entities[] = {"&lt;", "&amp;", "&quot;", NULL, NULL, NULL};
    const char *at = memchr(meanings, character, sizeof meanings - 1);
    if (at)
        return entities[at - meanings];
    return (uint8_t) character < 0x20 ? "\xef\xbf\xbd" : NULL;
}

void plot_escape(FILE *file, const char *text, int length)
{
    for (int i = 0; i < length;) {
        const uint32_t bytes = text_utf8(text + i, (size_t) (length - i));
        const char *entity = bytes == 0 ? "\xef\xbf\xbd" : entity_of(text[i]);
        if (entity)
            fputs(entity, file);
        else
            fwrite(text + i, 1, bytes, file);
        i += bytes ? (int) bytes : 1;
    }
}

void plot_put(FILE *file, const char *text)
{
    plot_escape(file, text, (int) strlen(text));
}

static void put_line(FILE *file, double x1, double y1, double x2, double y2, const char *color)
{
    fprintf(file, "<line x1=\"%.2f\" y1=\"%.2f\" x2=\"%.2f\" y2=\"%.2f\" stroke=\"%s\"/>\n", x1, y1, x2, y2, color);
}

void plot_text(FILE *file, double x, double y, const char *anchor, const char *color, const char *text)
{
    fprintf(file, "<text x=\"%.2f\" y=\"%.2f\" text-anchor=\"%s\" fill=\"%s\">", x, y, anchor, color);
    plot_put(file, text);
    fputs("</text>\n", file);
}

void plot_text_turned(FILE *file, double x, double y, double degrees, const char *anchor, const char *text)
{
    fprintf(file, "<text transform=\"translate(%g %.2f) rotate(%g)\" text-anchor=\"%s\">", x, y, -degrees, anchor);
    plot_put(file, text);
    fputs("</text>\n", file);
}

void plot_text_upwards(FILE *file, double x, double y, const char *text)
{
    plot_text_turned(file, x, y, 90, "middle", text);
}

void plot_axes(FILE *file, const struct plot_axis *along, const struct plot_axis *up)
{
    char text[32];
    double number;
    for (int i = 0; !isnan(number = tick_at(up, i)); i++) {
        const double y = plot_place(up, number);
        put_line(file, along->begin, y, along->end, y, "#dddddd");
        plot_text(file, along->begin - 8, y + 4, "end", "#333333", label_at(up, i, number, text));
    }
    for (int i = 0; !isnan(number = tick_at(along, i)); i++) {
        const double x = plot_place(along, number);
        put_line(file, x, up->begin, x, up->begin + 5, "#333333");
        plot_text(file, x, up->begin + 19, "middle", "#333333", label_at(along, i, number, text));
    }
    fprintf(file, "<path d=\"M%.2f %.2fV%.2fH%.2f\" fill=\"none\" stroke=\"#333333\"/>\n", along->begin, up->end,
            up->begin, along->end);
}

void plot_curve(FILE *file, const struct plot_axis *along, const struct plot_axis *up, const double *x, const double *y,
                uint64_t count, const char *color)
{
    bool down = false;
    fprintf(file,
            "<path fill=\"none\" stroke-width=\"1.6\" stroke-linejoin=\"round\" stroke-linecap=\"round\" stroke=\"%s\" "
            "d=\"",
            color);
    for (uint64_t i = 0; i < count; i++) {
        const double at = x != NULL ? x[i] : (double) i;
        const bool there = has_place(along, at) && has_place(up, y[i]);
        if (there)
            fprintf(file, "%s%.2f %.2f%s", down ? "L" : "M", plot_place(along, at), plot_place(up, y[i]),
                    down ? "" : "h0");
        down = there;
    }
    fprintf(file, "\"/>\n");
}

void plot_clip(FILE *file, const struct plot_axis *along, const struct plot_axis *up)
{
    const double width = along->end - along->begin, height = up->begin - up->end;
    fprintf(file, "<svg x=\"%g\" y=\"%g\" width=\"%g\" height=\"%g\" viewBox=\"%g %g %g %g\">\n", along->begin, up->end,
            width, height, along->begin, up->end, width, height);
}

void plot_clip_end(FILE *file)
{
    fputs("</svg>\n", file);
}

void plot_mark(FILE *file, const struct plot_axis *along, const struct plot_axis *up, double number)
{
    const double y = plot_place(up, number);
    fprintf(file, "<path d=\"M%.2f %.2fH%.2f\" stroke=\"#333333\" stroke-dasharray=\"6 4\"/>\n", along->begin, y,
            along->end);
}

void plot_dots(FILE *file, const struct plot_axis *along, const struct plot_axis *up, const double *x, const double *y,
               uint64_t count, bool rings, const char *color)
{
    for (uint64_t i = 0; i < count; i++) {
        const double at = x != NULL ? x[i] : (double) i;
        if (has_place(along, at) && has_place(up, y[i]))
            fprintf(file, "<circle cx=\"%.2f\" cy=\"%.2f\" r=\"3.5\" fill=\"%s\" stroke=\"%s\"/>\n",
                    plot_place(along, at), plot_place(up, y[i]), rings ? "none" : color, color);
    }
}
