/* A second implementation of 3D Life, as simple as possible, and some functions on grids of cells in .npy files.
 *
 *   cells random W H D SEED PERCENT OUT   makes a grid of random cells, PERCENT % of them alive
 *   cells set W H D OUT X,Y,Z…            makes a grid with these live cells; negative numbers count from the other end
 *   cells step BIRTH SURVIVE STEPS IN OUT takes generations on the torus; a rule lists numbers of neighbours as in "4 6
 *   9"
 *   cells move DX DY DZ IN OUT            moves all cells around the torus
 *   cells count IN                        prints the number of live cells
 *   cells same IN IN                      succeeds if sizes and cells are equal; otherwise prints where they differ
 *
 * A .npy file is a header, which is a Python dictionary with the shape (depth, height, width), and one byte per cell
 * with x fastest. This program shares no code with the engine. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct grid {
    long width, height, depth;
    unsigned char *cells;
};

static void die(const char *why)
{
    fprintf(stderr, "cells: %s\n", why);
    exit(2);
}

static long total(const struct grid *g)
{
    return g->width * g->height * g->depth;
}

static struct grid empty(long width, long height, long depth)
{
    struct grid g = {width, height, depth, NULL};
    if (width < 1 || height < 1 || depth < 1 || !(g.cells = calloc((size_t) total(&g), 1)))
        die("size");
    return g;
}

/* NumPy's format, version 1: magic, version, two bytes of length, a Python dictionary as text. */
static struct grid load(const char *path)
{
    char header[4096] = "";
    FILE *file = fopen(path, "rb");
    if (!file || fread(header, 1, 10, file) != 10 || memcmp(header, "\x93NUMPY\x01", 7) != 0)
        die(path);
    const size_t length = (unsigned char) header[8] + 256u * (unsigned char) header[9];
    if (length >= sizeof header || fread(header, 1, length, file) != length)
        die("header");
    header[length] = '\0';
    long w, h, d;
    const char *shape = strstr(header, "'shape': (");
    if (!shape || sscanf(shape, "'shape': (%ld, %ld, %ld)", &d, &h, &w) != 3 || !strstr(header, "'|u1'") ||
        !strstr(header, "'fortran_order': False"))
        die("no 3D array of bytes in C order");
    struct grid g = empty(w, h, d);
    if (fread(g.cells, 1, (size_t) total(&g), file) != (size_t) total(&g) || fgetc(file) != EOF)
        die("too few or too many cells");
    fclose(file);
    return g;
}

static void save(const struct grid *g, const char *path)
{
    char header[128];
    memset(header, ' ', sizeof header);
    memcpy(header, "\x93NUMPY\x01\x00\x76\x00", 10); /* 0x76: 118 bytes, 128 in all */
    const int length =
        snprintf(header + 10, 118, "{'descr': '|u1', 'fortran_order': False, 'shape': (%ld, %ld, %ld), }", g->depth,
                 g->height, g->width);
    header[10 + length] = ' ';
    header[127] = '\n';
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(header, 1, 128, file) != 128 ||
        fwrite(g->cells, 1, (size_t) total(g), file) != (size_t) total(g) || fclose(file))
        die(path);
}

static long wrapped(long i, long size)
{
    return (i % size + size) % size;
}

static unsigned char *at(const struct grid *g, long x, long y, long z)
{
    return &g->cells[(wrapped(z, g->depth) * g->height + wrapped(y, g->height)) * g->width + wrapped(x, g->width)];
}

/* next[n]: what becomes of a cell with n live neighbours. */
static void read_numbers(const char *text, unsigned char next[27])
{
    memset(next, 0, 27);
    text += strspn(text, " ");
    for (char *end; *text; text = end + strspn(end, " ")) {
        const long n = strtol(text, &end, 10);
        if (end == text || n < 0 || n > 26)
            die("numbers of neighbours");
        next[n] = 1;
    }
}

static int neighbours(const struct grid *g, long x, long y, long z)
{
    int alive = 0;
    for (long dz = -1; dz <= 1; dz++)
        for (long dy = -1; dy <= 1; dy++)
            for (long dx = -1; dx <= 1; dx++)
                alive += (dx || dy || dz) && *at(g, x + dx, y + dy, z + dz);
    return alive;
}

static void step(struct grid *g, const char *birth, const char *survive, long steps)
{
    unsigned char next[2][27];
    read_numbers(birth, next[0]);
    read_numbers(survive, next[1]);
    for (; steps > 0; steps--) {
        struct grid to = empty(g->width, g->height, g->depth);
        for (long z = 0; z < g->depth; z++)
            for (long y = 0; y < g->height; y++)
                for (long x = 0; x < g->width; x++)
                    *at(&to, x, y, z) = next[*at(g, x, y, z)][neighbours(g, x, y, z)];
        free(g->cells);
        *g = to;
    }
}

static void move(struct grid *g, long dx, long dy, long dz)
{
    struct grid to = empty(g->width, g->height, g->depth);
    for (long z = 0; z < g->depth; z++)
        for (long y = 0; y < g->height; y++)
            for (long x = 0; x < g->width; x++)
                *at(&to, x + dx, y + dy, z + dz) = *at(g, x, y, z);
    free(g->cells);
    *g = to;
}

static void sow(struct grid *g, unsigned long seed, unsigned long percent)
{
    unsigned long long state = seed * 2654435761u + 1;
    for (long i = 0; i < total(g); i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        g->cells[i] = (state >> 33) % 100 < percent;
    }
}

static int same(const struct grid *a, const struct grid *b)
{
    if (a->width != b->width || a->height != b->height || a->depth != b->depth) {
        printf("sizes differ\n");
        return 1;
    }
    for (long i = 0; i < total(a); i++)
        if (a->cells[i] != b->cells[i]) {
            printf("first at x %ld, y %ld, z %ld: %d, %d\n", i % a->width, i / a->width % a->height,
                   i / a->width / a->height, a->cells[i], b->cells[i]);
            return 1;
        }
    return 0;
}

static long count(const struct grid *g)
{
    long alive = 0;
    for (long i = 0; i < total(g); i++)
        alive += g->cells[i];
    return alive;
}

static struct grid make(char **argv)
{
    return empty(atol(argv[2]), atol(argv[3]), atol(argv[4]));
}

static void set(struct grid *g, const char *text)
{
    long x, y, z;
    if (sscanf(text, "%ld,%ld,%ld", &x, &y, &z) != 3)
        die(text);
    *at(g, x, y, z) = 1;
}

int main(int argc, char **argv)
{
    const char *verb = argc > 2 ? argv[1] : "";
    struct grid g;
    if (argc == 8 && strcmp(verb, "random") == 0) {
        g = make(argv);
        sow(&g, strtoul(argv[5], NULL, 10), strtoul(argv[6], NULL, 10));
        save(&g, argv[7]);
    } else if (argc >= 6 && strcmp(verb, "set") == 0) {
        g = make(argv);
        for (int i = 6; i < argc; i++)
            set(&g, argv[i]);
        save(&g, argv[5]);
    } else if (argc == 7 && strcmp(verb, "step") == 0) {
        g = load(argv[5]);
        step(&g, argv[2], argv[3], atol(argv[4]));
        save(&g, argv[6]);
    } else if (argc == 7 && strcmp(verb, "move") == 0) {
        g = load(argv[5]);
        move(&g, atol(argv[2]), atol(argv[3]), atol(argv[4]));
        save(&g, argv[6]);
    } else if (argc == 3 && strcmp(verb, "count") == 0) {
        g = load(argv[2]);
        printf("%ld\n", count(&g));
    } else if (argc == 4 && strcmp(verb, "same") == 0) {
        const struct grid other = load(argv[3]);
        g = load(argv[2]);
        return same(&g, &other);
    } else
        die("see the head of cells.c");
    return 0;
}
