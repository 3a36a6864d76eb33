/* The independent check of gray-scott. It shares no code with the plugin, computes in double precision, and wraps the
 * torus by remainders. It reads and writes .npy files of float32.
 *
 *     oracle steps U V STEPS FEED KILL U2 V2    takes STEPS of Pearson's steps from U, V; prints the largest difference
 *                                               between the result and U2, V2
 *     oracle fill VALUE WIDTH HEIGHT FILE       writes a grid of one value
 *     oracle range FILE                         prints the smallest and the largest value
 *     oracle spots LEVEL FILE                   prints the number of connected regions above LEVEL
 *     oracle mirror FILE                        prints the largest difference from its mirror images and its
 * transpose */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct grid {
    int width, height;
    double *at;
};

static void fail(const char *what)
{
    fprintf(stderr, "oracle: %s\n", what);
    exit(2);
}

static struct grid make(int width, int height)
{
    return (struct grid){width, height, calloc((size_t) width * (size_t) height, sizeof(double))};
}

static struct grid load(const char *path)
{
    FILE *file = fopen(path, "rb");
    unsigned char start[10];
    char head[1 << 16] = "";
    int height, width;
    if (!file || fread(start, 1, 10, file) != 10 || fread(head, 1, start[8] + 256u * start[9], file) == 0)
        fail(path);
    const char *shape = strstr(head, "'shape': (");
    if (!strstr(head, "<f4") || !shape || sscanf(shape + 10, "%d, %d", &height, &width) != 2)
        fail("no grid of float32");
    struct grid grid = make(width, height);
    for (int i = 0; i < width * height; i++) {
        float value;
        if (fread(&value, sizeof value, 1, file) != 1)
            fail("too short");
        grid.at[i] = value;
    }
    fclose(file);
    return grid;
}

static void fill(float value, int width, int height, const char *path)
{
    FILE *file = fopen(path, "wb");
    char head[119];
    snprintf(head, sizeof head, "{'descr': '<f4', 'fortran_order': False, 'shape': (%d, %d), }", height, width);
    fprintf(file, "\x93NUMPY%c%c%c%c%-117s\n", 1, 0, 118, 0, head);
    for (int i = 0; i < width * height; i++)
        fwrite(&value, sizeof value, 1, file);
    fclose(file);
}

static double *cell(struct grid grid, int x, int y)
{
    x = (x % grid.width + grid.width) % grid.width;
    y = (y % grid.height + grid.height) % grid.height;
    return grid.at + (y * grid.width + x);
}

static double diffuse(struct grid grid, int x, int y, double rate)
{
    return rate * (*cell(grid, x - 1, y) + *cell(grid, x + 1, y) + *cell(grid, x, y - 1) + *cell(grid, x, y + 1) -
                   4 * *cell(grid, x, y));
}

static void step(struct grid u, struct grid v, struct grid next_u, struct grid next_v, double feed, double kill)
{
    const double area = 2.5 / 256 * 2.5 / 256; /* of a cell */
    for (int y = 0; y < u.height; y++)
        for (int x = 0; x < u.width; x++) {
            const double here = *cell(u, x, y), there = *cell(v, x, y), made = here * there * there;
            *cell(next_u, x, y) = here + diffuse(u, x, y, 2e-5 / area) - made + feed * (1 - here);
            *cell(next_v, x, y) = there + diffuse(v, x, y, 1e-5 / area) + made - (feed + kill) * there;
        }
}

static double difference(struct grid a, struct grid b)
{
    double largest = 0;
    for (int i = 0; i < a.width * a.height; i++)
        largest = fmax(largest, fabs(a.at[i] - b.at[i]));
    return largest;
}

static void steps(char **words)
{
    struct grid u[2] = {load(words[0]), load(words[5])}, v[2] = {load(words[1]), load(words[6])};
    struct grid a[2] = {u[0], make(u[0].width, u[0].height)}, b[2] = {v[0], make(u[0].width, u[0].height)};
    const int count = atoi(words[2]);
    for (int i = 0; i < count; i++)
        step(a[i % 2], b[i % 2], a[1 - i % 2], b[1 - i % 2], atof(words[3]), atof(words[4]));
    printf("%g\n", fmax(difference(a[count % 2], u[1]), difference(b[count % 2], v[1])));
}

static void range(struct grid grid)
{
    double least = grid.at[0], most = grid.at[0];
    for (int i = 0; i < grid.width * grid.height; i++) {
        least = fmin(least, grid.at[i]);
        most = fmax(most, grid.at[i]);
    }
    printf("%.9g %.9g\n", least, most);
}

/* Removes a region. */
static void erase(struct grid grid, int x, int y, double level)
{
    if (*cell(grid, x, y) <= level)
        return;
    *cell(grid, x, y) = level;
    erase(grid, x - 1, y, level);
    erase(grid, x + 1, y, level);
    erase(grid, x, y - 1, level);
    erase(grid, x, y + 1, level);
}

static void spots(double level, struct grid grid)
{
    int count = 0;
    for (int y = 0; y < grid.height; y++)
        for (int x = 0; x < grid.width; x++) {
            count += *cell(grid, x, y) > level;
            erase(grid, x, y, level);
        }
    printf("%d\n", count);
}

static void mirror(struct grid grid)
{
    double largest = 0;
    for (int y = 0; y < grid.height; y++)
        for (int x = 0; x < grid.width; x++) {
            const double here = *cell(grid, x, y);
            largest = fmax(largest, fabs(here - *cell(grid, -1 - x, y)));
            largest = fmax(largest, fabs(here - *cell(grid, x, -1 - y)));
            largest = fmax(largest, fabs(here - *cell(grid, y, x)));
        }
    printf("%g\n", largest);
}

int main(int count, char **words)
{
    const char *what = count > 2 ? words[1] : "";
    if (strcmp(what, "steps") == 0 && count == 9)
        steps(words + 2);
    else if (strcmp(what, "fill") == 0 && count == 6)
        fill((float) atof(words[2]), atoi(words[3]), atoi(words[4]), words[5]);
    else if (strcmp(what, "range") == 0)
        range(load(words[2]));
    else if (strcmp(what, "spots") == 0 && count == 4)
        spots(atof(words[2]), load(words[3]));
    else if (strcmp(what, "mirror") == 0)
        mirror(load(words[2]));
    else
        fail("see the top of oracle.c");
    return 0;
}
