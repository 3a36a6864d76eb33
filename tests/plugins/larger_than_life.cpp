/* What larger-than-life is held against: each cell's square counted cell by cell, with remainders for the torus. Reads
 * .npy files of uint8, and prints how many cells differ.
 *
 *     oracle steps A B STEPS R M S1 S2 B1 B2    B, and A after STEPS steps of the rule RR,C0,MM,SS1..S2,BB1..B2. It is an
 *                                               error if all cells of B are equal: such a test would find little
 *     oracle moved A B X Y                      B, and A moved by X to the right and Y down */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct grid {
    int width, height;
    uint8_t *at;
};

static void fail(const char *what)
{
    fprintf(stderr, "oracle: %s\n", what);
    exit(2);
}

static struct grid load(const char *path)
{
    FILE *file = fopen(path, "rb");
    unsigned char start[10];
    char head[1 << 16] = "";
    struct grid grid;
    if (!file || fread(start, 1, 10, file) != 10 || fread(head, 1, start[8] + 256u * start[9], file) == 0)
        fail(path);
    const char *shape = strstr(head, "'shape': (");
    if (!strstr(head, "|u1") || !shape || sscanf(shape + 10, "%d, %d", &grid.height, &grid.width) != 2)
        fail("no grid of uint8");
    const size_t cells = (size_t) grid.width * (size_t) grid.height;
    grid.at = malloc(cells);
    if (fread(grid.at, 1, cells, file) != cells)
        fail("too short");
    fclose(file);
    return grid;
}

static uint8_t *cell(struct grid grid, int x, int y)
{
    x = (x % grid.width + grid.width) % grid.width;
    y = (y % grid.height + grid.height) % grid.height;
    return grid.at + (y * grid.width + x);
}

static struct grid step(struct grid grid, const int rule[6])
{
    struct grid next = {grid.width, grid.height, malloc((size_t) grid.width * (size_t) grid.height)};
    for (int y = 0; y < grid.height; y++)
        for (int x = 0; x < grid.width; x++) {
            const int alive = *cell(grid, x, y), *range = alive ? rule + 2 : rule + 4;
            int count = 0;
            for (int j = -rule[0]; j <= rule[0]; j++)
                for (int i = -rule[0]; i <= rule[0]; i++)
                    count += i == 0 && j == 0 ? alive * rule[1] : *cell(grid, x + i, y + j);
            *cell(next, x, y) = count >= range[0] && count <= range[1];
        }
    return next;
}

static int differing(struct grid a, struct grid b, int right, int down)
{
    int count = 0;
    for (int y = 0; y < a.height; y++)
        for (int x = 0; x < a.width; x++)
            count += *cell(a, x, y) != *cell(b, x + right, y + down);
    return count;
}

static int uniform(struct grid grid)
{
    return memchr(grid.at, !*grid.at, (size_t) grid.width * (size_t) grid.height) == NULL;
}

int main(int count, char **words)
{
    const int steps = count == 11 && strcmp(words[1], "steps") == 0;
    if (!steps && (count != 6 || strcmp(words[1], "moved") != 0))
        fail("see the top of oracle.c");
    struct grid a = load(words[2]), b = load(words[3]);
    if (a.width != b.width || a.height != b.height)
        fail("grids of two sizes");
    if (!steps) {
        printf("%d\n", differing(a, b, atoi(words[4]), atoi(words[5])));
        return 0;
    }
    int rule[6];
    for (int i = 0; i < 6; i++)
        rule[i] = atoi(words[5 + i]);
    if (uniform(b))
        fail("all cells are equal");
    for (int i = 0; i < atoi(words[4]); i++)
        a = step(a, rule);
    printf("%d\n", differing(a, b, 0, 0));
    return 0;
}
