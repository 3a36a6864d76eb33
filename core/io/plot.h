/* Drawings of numbers as SVG, https://www.w3.org/TR/SVG11/: axes, curves, texts. */
#ifndef CORE_IO_PLOT_H
#define CORE_IO_PLOT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { PLOT_COLORS = 7 };

/* Okabe and Ito's colours, which people with any colour vision tell apart; they come again after seven. */
const char *plot_color(uint64_t index);

/* A span of numbers, and where it lies on the page. */
struct plot_axis {
    double low, high, tick;
    double begin, end;         /* of the page, in pixels */
    bool logarithmic;          /* ticks are 1, 2 and 5 times powers of ten; tick counts for nothing */
    const char *const *labels; /* of ticks 0, 1, 2 … up to high, instead of numbers; or NULL */
    const char *(*print)(double number, char text[32]); /* of a tick; NULL: as %.6g */
};

/* An axis for these numbers, with about so many ticks; from 0 where the lowest is above that and at most `share` of the
 * highest. Numbers that have no place on a page (infinity, NaN) do not count. */
struct plot_axis plot_axis_of(const double *numbers, uint64_t count, double share, int ticks);

/* Ends the axis at ticks. */
void plot_round(struct plot_axis *axis);

double plot_place(const struct plot_axis *axis, double number);

/* The page, white; and its end. */
void plot_begin(FILE *file, int width, int height);
void plot_end(FILE *file);

/* Text of any characters; anchor: start, middle or end. */
void plot_text(FILE *file, double x, double y, const char *anchor, const char *color, const char *text);
void plot_text_upwards(FILE *file, double x, double y, const char *text);

/* Any text as XML has it. */
void plot_escape(FILE *file, const char *text, int length);

/* Two axes, their ticks, and lines across at those of `up`. */
void plot_axes(FILE *file, const struct plot_axis *along, const struct plot_axis *up);

/* A curve through (x[i], y[i]), broken where one of them has no place; one alone is a dot. x NULL: 0, 1, 2 … */
void plot_curve(FILE *file, const struct plot_axis *along, const struct plot_axis *up, const double *x, const double *y,
                uint64_t count, const char *color);

/* A dot at each of them. */
void plot_dots(FILE *file, const struct plot_axis *along, const struct plot_axis *up, const double *x, const double *y,
               uint64_t count, const char *color);

#endif
