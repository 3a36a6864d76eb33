/* A second implementation of Life-like rules, as simple as possible, and some functions on grids of cells in .npy
 * files.
 *
 *   cells step RULE STEPS IN OUT      takes STEPS generations of a rule B…/S… on the torus
 *   cells move DX DY IN OUT           moves all cells around the torus
 *   cells invert IN OUT               exchanges dead and live cells
 *   cells xor IN IN OUT               a cell is alive if it is alive in exactly one of the two
 *   cells count IN                    prints the number of live cells
 *   cells within IN IN                succeeds if all live cells of the first are alive in the second
 *   cells apart IN IN                 succeeds if none of them is
 *
 * A .npy file is a header, which is copied unchanged, and one byte per cell, row by row. This program shares no code
 * with the engine. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct grid {
    char header[4096];
    size_t header_bytes;
    long width, height;
    unsigned char *cells;
};

static void die(const char *why)
{
    fprintf(stderr, "cells: %s\n", why);
    exit(2);
}

/* NumPy's format, version 1: magic, version, two bytes of length, a Python dictionary as text. */
static struct grid load(const char *path)
{
    struct grid g = {.header_bytes = 10};
    FILE *file = fopen(path, "rb");
    if (!file || fread(g.header, 1, 10, file) != 10 || memcmp(g.header, "\x93NUMPY\x01", 7) != 0)
        die(path);
    g.header_bytes += (unsigned char) g.header[8] + 256u * (unsigned char) g.header[9];
    if (g.header_bytes >= sizeof g.header || fread(g.header + 10, 1, g.header_bytes - 10, file) != g.header_bytes - 10)
        die("header");
    const char *shape = strstr(g.header + 10, "'shape': (");
    if (!shape || sscanf(shape, "'shape': (%ld, %ld)", &g.height, &g.width) != 2 || !strstr(g.header + 10, "'|u1'") ||
        !strstr(g.header + 10, "'fortran_order': False"))
        die("no 2D array of bytes in C order");
    g.cells = malloc((size_t) (g.width * g.height) + 1);
    if (!g.cells || fread(g.cells, 1, (size_t) (g.width * g.height) + 1, file) != (size_t) (g.width * g.height))
        die("too few or too many cells");
    fclose(file);
    return g;
}

static void save(const struct grid *g, const char *path)
{
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(g->header, 1, g->header_bytes, file) != g->header_bytes ||
        fwrite(g->cells, 1, (size_t) (g->width * g->height), file) != (size_t) (g->width * g->height) || fclose(file))
        die(path);
}

static unsigned char *at(const struct grid *g, long x, long y)
{
    return &g->cells[(y % g->height + g->height) % g->height * g->width + (x % g->width + g->width) % g->width];
}

/* "B36/S23": next[0] of a dead cell with so many live neighbours, next[1] of a live one. */
static void read_rule(const char *text, int next[2][9])
{
    memset(next, 0, 2 * sizeof next[0]);
    int alive = 0;
    for (; *text; text++)
        if (*text == 'S')
            alive = 1;
        else if (*text >= '0' && *text <= '8')
            next[alive][*text - '0'] = 1;
}

static void step(struct grid *g, const char *rule, long steps)
{
    int next[2][9];
    read_rule(rule, next);
    for (; steps > 0; steps--) {
        struct grid to = *g;
        to.cells = malloc((size_t) (g->width * g->height));
        for (long y = 0; y < g->height; y++)
            for (long x = 0; x < g->width; x++) {
                int neighbours = 0;
                for (int dy = -1; dy <= 1; dy++)
                    for (int dx = -1; dx <= 1; dx++)
                        neighbours += (dx || dy) && *at(g, x + dx, y + dy);
                *at(&to, x, y) = (unsigned char) next[*at(g, x, y)][neighbours];
            }
        free(g->cells);
        *g = to;
    }
}

static void move(struct grid *g, long dx, long dy)
{
    struct grid to = *g;
    to.cells = malloc((size_t) (g->width * g->height));
    for (long y = 0; y < g->height; y++)
        for (long x = 0; x < g->width; x++)
            *at(&to, x + dx, y + dy) = *at(g, x, y);
    free(g->cells);
    *g = to;
}

static int compare(const struct grid *a, const struct grid *b, int wanted)
{
    for (long i = 0; i < a->width * a->height; i++)
        if (a->cells[i] && b->cells[i] != wanted)
            return 1;
    return 0;
}

static long count(const struct grid *g)
{
    long alive = 0;
    for (long i = 0; i < g->width * g->height; i++)
        alive += g->cells[i];
    return alive;
}

int main(int argc, char **argv)
{
    const char *verb = argc > 2 ? argv[1] : "";
    if (argc == 6 && (strcmp(verb, "step") == 0 || strcmp(verb, "move") == 0)) {
        struct grid g = load(argv[4]);
        if (*verb == 's')
            step(&g, argv[2], atol(argv[3]));
        else
            move(&g, atol(argv[2]), atol(argv[3]));
        save(&g, argv[5]);
    } else if (argc == 4 && strcmp(verb, "invert") == 0) {
        struct grid g = load(argv[2]);
        for (long i = 0; i < g.width * g.height; i++)
            g.cells[i] ^= 1;
        save(&g, argv[3]);
    } else if (argc == 5 && strcmp(verb, "xor") == 0) {
        struct grid a = load(argv[2]), b = load(argv[3]);
        for (long i = 0; i < a.width * a.height; i++)
            a.cells[i] ^= b.cells[i];
        save(&a, argv[4]);
    } else if (argc == 3 && strcmp(verb, "count") == 0) {
        struct grid g = load(argv[2]);
        printf("%ld\n", count(&g));
    } else if (argc == 4 && (strcmp(verb, "within") == 0 || strcmp(verb, "apart") == 0)) {
        struct grid a = load(argv[2]), b = load(argv[3]);
        return compare(&a, &b, *verb == 'w');
    } else
        die("see the head of cells.c");
    return 0;
}
