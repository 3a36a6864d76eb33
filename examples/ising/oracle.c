/* What ising is held against: exact solutions, and the mean of a series with its error.
 *
 *     oracle onsager T                      energy and magnetisation a cell of the infinite plane without field
 *     oracle small WIDTH HEIGHT T FIELD     means of e, e^2, m and |m| over all states of a small torus
 *     oracle series FILE SKIP               the same of rows of metrics.csv after the first SKIP, each with its error
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { E, E2, M, ABS_M, MOMENTS };

static const double pi = 3.14159265358979323846;

/* The complete elliptic integral of the first kind, by the arithmetic-geometric mean. */
static double elliptic(double k)
{
    double a = 1, b = sqrt(1 - k * k);
    while (a - b > 1e-15 * a) {
        const double mean = (a + b) / 2;
        b = sqrt(a * b);
        a = mean;
    }
    return pi / (2 * a);
}

/* L. Onsager, Phys. Rev. 65 (1944) 117; C. N. Yang, Phys. Rev. 85 (1952) 808. */
static void onsager(double temperature)
{
    const double twice = 2 / temperature, t = tanh(twice), s = sinh(twice);
    const double k = 2 * s / (cosh(twice) * cosh(twice));
    const double energy = -1 / t * (1 + 2 / pi * (2 * t * t - 1) * elliptic(k));
    printf("%.9g %.9g\n", energy, s > 1 ? pow(1 - pow(s, -4), 0.125) : 0);
}

/* Energy and magnetisation of a state whose cell i is up where bit i is set. */
static void examine(unsigned state, int width, int height, double field, double *e, double *m)
{
    int pairs = 0, sum = 0;
    for (int i = 0; i < width * height; i++) {
        const int x = i % width, y = i / width;
        const int here = state >> i & 1 ? 1 : -1;
        const int right = state >> (y * width + (x + 1) % width) & 1 ? 1 : -1;
        const int below = state >> ((y + 1) % height * width + x) & 1 ? 1 : -1;
        pairs += here * (right + below);
        sum += here;
    }
    *m = (double) sum / (width * height);
    *e = -(double) pairs / (width * height) - field * *m;
}

static void small(int width, int height, double temperature, double field)
{
    double weights = 0, sums[MOMENTS] = {0};
    for (unsigned state = 0; state < 1u << (width * height); state++) {
        double e, m;
        examine(state, width, height, field, &e, &m);
        const double weight = exp(-e * width * height / temperature);
        const double terms[MOMENTS] = {e, e * e, m, fabs(m)};
        for (int i = 0; i < MOMENTS; i++)
            sums[i] += weight * terms[i];
        weights += weight;
    }
    for (int i = 0; i < MOMENTS; i++)
        printf("%.9g%c", sums[i] / weights, i + 1 < MOMENTS ? ' ' : '\n');
}

enum { BLOCKS = 32, ROWS = 1 << 20 };

/* The error comes from the means of 32 blocks, which are long beside the time in which rows forget each other. */
static void print_mean(const double *terms, int rows)
{
    const int length = rows / BLOCKS;
    double sum = 0, squares = 0;
    for (int block = 0; block < BLOCKS; block++) {
        double mean = 0;
        for (int i = 0; i < length; i++)
            mean += terms[block * length + i] / length;
        sum += mean;
        squares += mean * mean;
    }
    const double mean = sum / BLOCKS;
    printf("%.9g %.9g ", mean, sqrt(fmax(0, squares / BLOCKS - mean * mean) / (BLOCKS - 1)));
}

static int series(const char *path, int skip)
{
    static double terms[MOMENTS][ROWS];
    FILE *file = fopen(path, "r");
    char line[256];
    double e, m;
    int rows = -skip;
    if (!file || !fgets(line, sizeof line, file) || strcmp(line, "step,energy,magnetisation\n") != 0)
        return fprintf(stderr, "oracle: %s: no such columns\n", path), 2;
    for (; rows < ROWS && fscanf(file, "%*d,%lf,%lf", &e, &m) == 2; rows++)
        if (rows >= 0) {
            terms[E][rows] = e;
            terms[E2][rows] = e * e;
            terms[M][rows] = m;
            terms[ABS_M][rows] = fabs(m);
        }
    fclose(file);
    for (int i = 0; i < MOMENTS; i++)
        print_mean(terms[i], rows);
    printf("\n");
    return 0;
}

int main(int count, char **words)
{
    const char *what = count > 2 ? words[1] : "";
    if (strcmp(what, "onsager") == 0)
        onsager(atof(words[2]));
    else if (strcmp(what, "small") == 0 && count == 6)
        small(atoi(words[2]), atoi(words[3]), atof(words[4]), atof(words[5]));
    else if (strcmp(what, "series") == 0 && count == 4)
        return series(words[2], atoi(words[3]));
    else
        return fprintf(stderr, "oracle: see the top of oracle.c\n"), 2;
    return 0;
}
