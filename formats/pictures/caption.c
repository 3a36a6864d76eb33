#include "formats/pictures/caption.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum {
    ACROSS = 6,      /* dots from one character to the next, of which five are its own */
    DOWN = 7,        /* dots of a character */
    MARGIN = 4,      /* dots */
    INK = 230,       /* level of the texts and the bar */
    RULE = 64,       /* of the line that separates the strip from the picture */
    DOT_WIDTH = 512, /* a dot has a pixel for each so many pixels of the width */
};

/* ---- Characters ----------------------------------------------------------------------------------------------- */

/* Rows of five dots from the top; the highest of five bits is the left dot. */
static const struct glyph {
    char character;
    uint8_t rows[DOWN];
} glyphs[] = {
    {'0', {0x0e, 0x11, 0x13, 0x15, 0x19, 0x11, 0x0e}}, {'1', {0x04, 0x0c, 0x04, 0x04, 0x04, 0x04, 0x0e}},
    {'2', {0x0e, 0x11, 0x01, 0x02, 0x04, 0x08, 0x1f}}, {'3', {0x1f, 0x02, 0x04, 0x02, 0x01, 0x11, 0x0e}},
    {'4', {0x02, 0x06, 0x0a, 0x12, 0x1f, 0x02, 0x02}}, {'5', {0x1f, 0x10, 0x1e, 0x01, 0x01, 0x11, 0x0e}},
    {'6', {0x06, 0x08, 0x10, 0x1e, 0x11, 0x11, 0x0e}}, {'7', {0x1f, 0x01, 0x02, 0x04, 0x08, 0x08, 0x08}},
    {'8', {0x0e, 0x11, 0x11, 0x0e, 0x11, 0x11, 0x0e}}, {'9', {0x0e, 0x11, 0x11, 0x0f, 0x01, 0x02, 0x0c}},
    {'.', {0x00, 0x00, 0x00, 0x00, 0x00, 0x0c, 0x0c}}, {'+', {0x00, 0x04, 0x04, 0x1f, 0x04, 0x04, 0x00}},
    {'-', {0x00, 0x00, 0x00, 0x1f, 0x00, 0x00, 0x00}}, {'a', {0x00, 0x00, 0x0e, 0x01, 0x0f, 0x11, 0x0f}},
    {'c', {0x00, 0x00, 0x0e, 0x10, 0x10, 0x11, 0x0e}}, {'e', {0x00, 0x00, 0x0e, 0x11, 0x1f, 0x10, 0x0e}},
    {'f', {0x06, 0x09, 0x08, 0x1c, 0x08, 0x08, 0x08}}, {'g', {0x00, 0x00, 0x0f, 0x11, 0x0f, 0x01, 0x0e}},
    {'h', {0x10, 0x10, 0x16, 0x19, 0x11, 0x11, 0x11}}, {'i', {0x04, 0x00, 0x0c, 0x04, 0x04, 0x04, 0x0e}},
    {'l', {0x0c, 0x04, 0x04, 0x04, 0x04, 0x04, 0x0e}}, {'m', {0x00, 0x00, 0x1a, 0x15, 0x15, 0x11, 0x11}},
    {'n', {0x00, 0x00, 0x16, 0x19, 0x11, 0x11, 0x11}}, {'o', {0x00, 0x00, 0x0e, 0x11, 0x11, 0x11, 0x0e}},
    {'p', {0x00, 0x00, 0x1e, 0x11, 0x1e, 0x10, 0x10}}, {'r', {0x00, 0x00, 0x16, 0x19, 0x10, 0x10, 0x10}},
    {'s', {0x00, 0x00, 0x0e, 0x10, 0x0e, 0x01, 0x1e}}, {'t', {0x08, 0x08, 0x1c, 0x08, 0x08, 0x09, 0x06}},
    {'u', {0x00, 0x00, 0x11, 0x11, 0x11, 0x13, 0x0d}},
};

/* The rows of a character; NULL: a space. */
static const uint8_t *rows_of(char character)
{
    for (size_t i = 0; i < sizeof glyphs / sizeof glyphs[0]; i++)
        if (glyphs[i].character == character)
            return glyphs[i].rows;
    return NULL;
}

static uint64_t text_width(const char *text, uint64_t dot)
{
    return (strlen(text) * ACROSS - 1) * dot;
}

/* ---- Drawing -------------------------------------------------------------------------------------------------- */

static void fill(const struct caption *caption, uint64_t x, uint64_t y, uint64_t width, uint64_t height)
{
    for (uint64_t row = y; row < y + height; row++)
        memset(caption->levels + row * caption->width + x, INK, width);
}

static void put_text(const struct caption *caption, uint64_t x, uint64_t y, uint64_t dot, const char *text)
{
    if (x + text_width(text, dot) > caption->width)
        return;
    for (; *text != '\0'; text++, x += ACROSS * dot) {
        const uint8_t *rows = rows_of(*text);
        for (uint64_t i = 0; rows != NULL && i < 5 * DOWN; i++)
            if (rows[i / 5] >> (4 - i % 5) & 1)
                fill(caption, x + i % 5 * dot, y + i / 5 * dot, dot, dot);
    }
}

/* A line with an end like the letter I lying on its side. */
static void put_bar(const struct caption *caption, uint64_t x, uint64_t y, uint64_t dot, uint64_t length)
{
    fill(caption, x, y + 3 * dot, length, dot);
    fill(caption, x, y, dot, DOWN * dot);
    fill(caption, x + length - dot, y, dot, DOWN * dot);
}

/* ---- The strip ------------------------------------------------------------------------------------------------ */

static uint64_t dot_of(uint64_t width)
{
    return width < DOT_WIDTH ? 1 : width / DOT_WIDTH;
}

static uint64_t height_of(uint64_t lines, uint64_t dot)
{
    return 1 + (lines * (DOWN + MARGIN) + MARGIN) * dot;
}

uint64_t caption_height_most(uint64_t width)
{
    return height_of(2, dot_of(width));
}

/* Returns 1, 2 or 5 times a power of ten, at most `most`; of cells, at least one. */
static double choose_length(double most, bool cells)
{
    const double power = pow(10, floor(log10(most))), ratio = most / power;
    const double length = power * (ratio >= 5 ? 5 : ratio >= 2 ? 2 : 1);
    return cells && length < 1 ? 1 : length;
}

int caption_make(const struct engine_file *file, struct caption *caption, uint64_t width, double pixels_per_unit,
                 const char *unit, uint64_t step, double time)
{
    const uint64_t dot = dot_of(width), margin = MARGIN * dot;
    const bool cells = strcmp(unit, "cell") == 0;
    const double length = choose_length((double) width / 4 / pixels_per_unit, cells);
    const uint64_t exact = (uint64_t) lround(length * pixels_per_unit), bar = exact < 2 * dot ? 0 : exact;
    char measure[64], now[48], dated[96];
    snprintf(measure, sizeof measure, "%.15g %s%s", length, unit, cells && length > 1 ? "s" : "");
    snprintf(now, sizeof now, "step %llu", (unsigned long long) step);
    const uint64_t left = margin + bar + margin + text_width(measure, dot), right = text_width(now, dot) + margin;
    const bool fits = left <= width && bar > 0, together = left + margin + right <= width;
    caption->width = width;
    caption->height = height_of(fits && !together ? 2 : 1, dot);
    caption->levels = file->allocate(file, caption->width * caption->height);
    if (caption->levels == NULL)
        return ENGINE_NO_MEMORY;
    memset(caption->levels, 0, caption->width * caption->height);
    memset(caption->levels, RULE, caption->width);
    if (fits) {
        put_bar(caption, margin, 1 + margin, dot, bar);
        put_text(caption, margin + bar + margin, 1 + margin, dot, measure);
    }
    /* The time changes no size: all frames of a film have the same. */
    snprintf(dated, sizeof dated, "%s  time %.9g", now, time);
    const uint64_t wide = text_width(dated, dot) + margin, free = fits && together ? width - left : width;
    const bool shows_time = isfinite(time) && wide + margin <= free;
    const uint64_t taken = shows_time ? wide : right;
    put_text(caption, taken <= width ? width - taken : width, caption->height - margin - DOWN * dot, dot,
             shows_time ? dated : now);
    return 0;
}
