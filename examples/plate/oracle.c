/* The independent check of plate. It shares no code with the plugin: it knows the modes of a plate, products of a sine
 * or cosine along x and one along y, which keep their shape and decay. It reads and writes .npy files of float32.
 *
 * The edges are T (torus), F (fixed at 0) or M (mirror), one letter for x and one for y.
 *
 *     oracle mode EDGES WIDTH HEIGHT FILE               writes the slowest mode
 *     oracle compare EDGES DIFFUSIVITY STEPS MODE FILE  prints the largest difference between FILE and the mode after
 *                                                       so many steps, and the factor by which it has decayed */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void fail(const char *what)
{
    fprintf(stderr, "oracle: %s\n", what);
    exit(2);
}

/* The angle from a cell to the next. A fixed edge lies on the centre of the cell beyond it, a mirror between cells. */
static double angle(char edge, int cells)
{
    const double pi = acos(-1.0);
    return edge == 'T' ? 2 * pi / cells : edge == 'F' ? pi / (cells + 1) : pi / cells;
}

static double shape(char edge, int cells, int at)
{
    return edge == 'F' ? sin(angle(edge, cells) * (at + 1)) : cos(angle(edge, cells) * (edge == 'M' ? at + 0.5 : at));
}

static void write_mode(const char *edges, int width, int height, const char *path)
{
    FILE *file = fopen(path, "wb");
    if (!file)
        fail(path);
    fwrite("\x93NUMPY\x01\x00\x76\x00", 1, 10, file);
    char head[119];
    snprintf(head, sizeof head, "{'descr': '<f4', 'fortran_order': False, 'shape': (%d, %d), }", height, width);
    fprintf(file, "%-117s\n", head);
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            const float value = (float) (shape(edges[0], width, x) * shape(edges[1], height, y));
            fwrite(&value, sizeof value, 1, file);
        }
    fclose(file);
}

static float *load(const char *path, int *width, int *height)
{
    FILE *file = fopen(path, "rb");
    unsigned char start[10];
    char head[1 << 16] = "";
    if (!file || fread(start, 1, 10, file) != 10 || fread(head, 1, start[8] + 256u * start[9], file) == 0)
        fail(path);
    const char *at = strstr(head, "'shape': (");
    if (!strstr(head, "<f4") || !at || sscanf(at + 10, "%d, %d", height, width) != 2)
        fail("no grid of float32");
    const size_t cells = (size_t) *width * (size_t) *height;
    float *values = malloc(cells * sizeof *values);
    if (!values || fread(values, sizeof *values, cells, file) != cells)
        fail("too short");
    fclose(file);
    return values;
}

static void compare(const char *edges, double diffusivity, int steps, const char *mode, const char *path)
{
    int width, height;
    const float *before = load(mode, &width, &height), *after = load(path, &width, &height);
    const double loss = 2 - 2 * cos(angle(edges[0], width)) + 2 - 2 * cos(angle(edges[1], height));
    const double factor = pow(1 - diffusivity * loss, steps);
    double largest = 0;
    for (int i = 0; i < width * height; i++)
        largest = fmax(largest, fabs((double) after[i] - factor * (double) before[i]));
    printf("%.3g %.6f\n", largest, factor);
}

int main(int count, char **words)
{
    if (count == 6 && strcmp(words[1], "mode") == 0)
        write_mode(words[2], atoi(words[3]), atoi(words[4]), words[5]);
    else if (count == 7 && strcmp(words[1], "compare") == 0)
        compare(words[2], atof(words[3]), atoi(words[4]), words[5], words[6]);
    else
        fail("expected mode EDGES WIDTH HEIGHT FILE or compare EDGES DIFFUSIVITY STEPS MODE FILE");
    return 0;
}
