#include "watch_text.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

void text_fit(struct engine_picture *picture, uint32_t columns, uint32_t lines)
{
    const uint64_t across = columns > 1 ? columns - 1 : 1; /* a character in the last column may wrap the line */
    const uint64_t down = lines > 2 ? lines - 2 : 1;
    picture->most_columns = across;
    picture->most_rows = 2 * down;
    picture->exact_columns = 2 * across;
    picture->exact_rows = 4 * down;
}

/* The shade at a position of the enlarged picture; black outside of it. */
static uint8_t shade_at(const struct engine_picture *picture, uint64_t x, uint64_t y)
{
    x /= picture->scale;
    y /= picture->scale;
    return x < picture->columns && y < picture->rows ? picture->shades[y * picture->columns + x] : 0;
}

/* ---- Dots ----------------------------------------------------------------------------------------------------- */

/* The bit of a dot by its row and column: https://www.unicode.org/charts/PDF/U2800.pdf. */
static const uint8_t dots[4][2] = {{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};

static void put_dots(FILE *text, const struct engine_picture *picture, uint64_t x, uint64_t y)
{
    unsigned pattern = 0;
    for (uint64_t row = 0; row < 4; row++)
        for (uint64_t column = 0; column < 2; column++)
            if (shade_at(picture, x + column, y + row) != 0)
                pattern |= dots[row][column];
    fputc(0xe2, text);
    fputc((int) (0xa0 | pattern >> 6), text);
    fputc((int) (0x80 | (pattern & 0x3f)), text);
}

static uint32_t put_dot_lines(FILE *text, const struct engine_picture *picture)
{
    uint32_t lines = 0;
    for (uint64_t y = 0; y < picture->rows; y += 4, lines++) {
        for (uint64_t x = 0; x < picture->columns; x += 2)
            put_dots(text, picture, x, y);
        fputs("\033[K\r\n", text);
    }
    return lines;
}

/* ---- Half blocks ---------------------------------------------------------------------------------------------- */

/* The nearest of xterm's 256 colours: 16 is black, 232 … 255 are greys from 8 in steps of 10, and 231 is white. */
static int color_of(uint8_t shade)
{
    if (shade < 4)
        return 16;
    return shade > 246 ? 231 : 232 + (shade < 8 ? 0 : (shade - 8 + 5) / 10);
}

/* The nearest of xterm's colours 16 … 231, a cube of 6 x 6 x 6. Its levels are 0, and 95 to 255 in steps of 40. */
static int color_in_cube(const uint8_t *rgb)
{
    int code = 16, unit = 36;
    for (int c = 0; c < 3; c++, unit /= 6)
        code += unit * (rgb[c] < 48 ? 0 : rgb[c] < 115 ? 1 : (rgb[c] - 35) / 40);
    return code;
}

static int color_at(const struct engine_picture *picture, uint64_t x, uint64_t y)
{
    const uint64_t column = x / picture->scale, row = y / picture->scale;
    if (picture->colours == NULL || column >= picture->columns || row >= picture->rows)
        return color_of(shade_at(picture, x, y));
    return color_in_cube(picture->colours + 3 * (row * picture->columns + column));
}

/* The current colours of characters; -1: the terminal's default. */
struct ink {
    int front, back;
};

static void put_pair(FILE *text, struct ink *ink, int above, int below)
{
    if (below != ink->back)
        fprintf(text, "\033[48;5;%dm", below);
    if (above != below && above != ink->front)
        fprintf(text, "\033[38;5;%dm", above);
    ink->back = below;
    ink->front = above != below ? above : ink->front;
    fputs(above != below ? "\xe2\x96\x80" : " ", text);
}

static uint32_t put_block_lines(FILE *text, const struct engine_picture *picture)
{
    const uint64_t columns = picture->columns * picture->scale, rows = picture->rows * picture->scale;
    uint32_t lines = 0;
    for (uint64_t y = 0; y < rows; y += 2, lines++) {
        struct ink ink = {-1, -1};
        for (uint64_t x = 0; x < columns; x++)
            put_pair(text, &ink, color_at(picture, x, y), color_at(picture, x, y + 1));
        fputs("\033[0m\033[K\r\n", text);
    }
    return lines;
}

char *text_of_picture(const struct engine_picture *picture, size_t *length, uint32_t *lines)
{
    char *bytes = NULL;
    FILE *text = open_memstream(&bytes, length);
    if (text == NULL)
        return NULL;
    const bool as_dots =
        picture->exact && (picture->columns > picture->most_columns || picture->rows > picture->most_rows);
    *lines = (as_dots ? put_dot_lines : put_block_lines)(text, picture);
    const bool whole = !ferror(text);
    if (fclose(text) == 0 && whole)
        return bytes;
    free(bytes);
    return NULL;
}
