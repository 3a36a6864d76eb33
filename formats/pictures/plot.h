/* Plots of numbers as SVG, https://www.w3.org/TR/SVG11/: axes, curves, texts. */
#ifndef FORMATS_PICTURES_PLOT_H
#define FORMATS_PICTURES_PLOT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { PLOT_COLORS = 7 };

/* Returns one of the seven colours of Okabe and Ito, which people with any colour vision can distinguish. Indices
 * beyond 6 repeat them. */
const char *plot_color(uint64_t index);

/* An interval of numbers and its place on the page. */
struct plot_axis {
    double low, high, tick;
    double begin, end;         /* place on the page, in pixels */
    bool logarithmic;          /* ticks are 1, 2 and 5 times powers of ten, or these alone; `tick` is not used */
    const char *const *labels; /* of ticks 0, 1, 2 … up to high, instead of numbers; or NULL */
    const double *places;      /* of these labels, up to a label NULL, instead of 0, 1, 2 …; or NULL */
    const char *(*print)(double number, char text[32]); /* prints a tick; NULL: as %.6g */
};

/* Makes an axis for these numbers, with about `ticks` ticks. It begins at 0 where the lowest number is above 0 and at
 * most `fraction` of the highest. Numbers that cannot be drawn (infinity, NaN) are ignored. */
struct plot_axis plot_axis_of(const double *numbers, uint64_t count, double fraction, int ticks);

/* Extends the axis to ticks at both ends. */
void plot_round(struct plot_axis *axis);

/* Returns the place of a number on the page. */
double plot_place(const struct plot_axis *axis, double number);

/* Write the beginning of a white page, and its end. */
void plot_begin(FILE *file, int width, int height);
void plot_end(FILE *file);

/* Write a text. `anchor` is start, middle or end. */
void plot_text(FILE *file, double x, double y, const char *anchor, const char *color, const char *text);
void plot_text_upwards(FILE *file, double x, double y, const char *text);
void plot_text_turned(FILE *file, double x, double y, double degrees, const char *anchor, const char *text);

/* Writes `length` bytes of text for XML or HTML: replaces the characters that these reserve, and writes U+FFFD for each
 * byte that they cannot hold: control characters, and bytes that are not UTF-8. */
void plot_escape(FILE *file, const char *text, int length);
void plot_put(FILE *file, const char *text); /* the whole text */

/* Draws a horizontal axis, a vertical axis, their ticks, and a horizontal line at each tick of `up`. */
void plot_axes(FILE *file, const struct plot_axis *along, const struct plot_axis *up);

/* Draws a curve through (x[i], y[i]). Numbers that cannot be drawn break it; a single point is a dot. x NULL: 0, 1, 2
 * … */
void plot_curve(FILE *file, const struct plot_axis *along, const struct plot_axis *up, const double *x, const double *y,
                uint64_t count, const char *color);

/* Draw what follows only within the panel of two axes, and end this. */
void plot_clip(FILE *file, const struct plot_axis *along, const struct plot_axis *up);
void plot_clip_end(FILE *file);

/* Draws a broken line across the panel at a number of the vertical axis. */
void plot_mark(FILE *file, const struct plot_axis *along, const struct plot_axis *up, double number);

/* Draws a dot, or a ring, at each (x[i], y[i]). */
void plot_dots(FILE *file, const struct plot_axis *along, const struct plot_axis *up, const double *x, const double *y,
               uint64_t count, bool rings, const char *color);

#endif
