/* What ising is held against: exact solutions, the mean of a series with its error, and a plain program.
 *
 *     oracle onsager T                      energy and magnetisation a cell of the infinite plane without field
 *     oracle small WIDTH HEIGHT T FIELD     means of e, e^2, m and |m| over all states of a small torus
 *     oracle series FILE SKIP               the same of rows of metrics.csv after the first SKIP, each with its error
 *     oracle steps RULE T FIELD SEED STEPS BEFORE AFTER
 *                                           takes steps from the spins of BEFORE (.npy), one cell after the other, and
 *                                           prints whether the result differs from AFTER: 0 or 1
 */
#include <math.h>
#include <stdint.h>
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

/* The spins of a .npy file of bytes, up to 2^20. */
struct spins {
    int width, height;
    uint8_t *at;
};

static int read_spins(const char *path, struct spins *spins)
{
    static const char start[] = "\x93NUMPY\1\0";
    uint8_t head[10];
    char text[256];
    FILE *file = fopen(path, "rb");
    const char *shape = NULL;
    if (file && fread(head, 1, 10, file) == 10 && memcmp(head, start, 8) == 0 && head[9] == 0 &&
        fread(text, 1, head[8], file) == head[8]) {
        text[head[8] - 1] = '\0';
        shape = strstr(text, "'shape': (");
    }
    if (!shape || sscanf(shape, "'shape': (%d, %d)", &spins->height, &spins->width) != 2 ||
        (long) spins->width * spins->height > 1 << 20)
        return fprintf(stderr, "oracle: %s: not a .npy file of up to 2^20 spins\n", path), 2;
    const size_t cells = (size_t) spins->width * (size_t) spins->height;
    spins->at = malloc(cells);
    const int whole = spins->at && fread(spins->at, 1, cells, file) == cells;
    fclose(file);
    return whole ? 0 : (fprintf(stderr, "oracle: %s: too short\n", path), 2);
}

/* Word `index` of a stream: Philox4x32-10 with key = seed and counter = (index / 4, stream). */
static uint32_t random_word(uint64_t seed, uint64_t stream, uint64_t index)
{
    const uint64_t block = index / 4;
    uint32_t c[4] = {(uint32_t) block, (uint32_t) (block >> 32), (uint32_t) stream, (uint32_t) (stream >> 32)};
    for (int round = 0; round < 10; round++) {
        const uint64_t a = (uint64_t) c[0] * 0xD2511F53u, b = (uint64_t) c[2] * 0xCD9E8D57u;
        const uint32_t k0 = (uint32_t) seed + (uint32_t) round * 0x9E3779B9u;
        const uint32_t k1 = (uint32_t) (seed >> 32) + (uint32_t) round * 0xBB67AE85u;
        const uint32_t next[4] = {(uint32_t) (b >> 32) ^ c[1] ^ k0, (uint32_t) b, (uint32_t) (a >> 32) ^ c[3] ^ k1,
                                  (uint32_t) a};
        memcpy(c, next, sizeof c);
    }
    return c[index % 4];
}

/* One of 2^32 equally probable cases flips for each unit of the chance. From the bits of the cell's number down to the
 * highest that is set, the same bit of the chance decides; the case in which no bit is set belongs to a chance of 1. */
static int turns(double chance, uint64_t seed, uint64_t stream, uint64_t index, int place)
{
    const uint64_t cases = (uint64_t) (chance * 0x1p32 + 0.5);
    if (cases == (uint64_t) 1 << 32)
        return 1;
    for (int n = 0; n < 32; n++)
        if (random_word(seed, stream + (uint64_t) n, index) >> place & 1)
            return cases >> (31 - n) & 1;
    return 0;
}

struct model {
    int heat_bath;
    double temperature, field;
    uint64_t seed;
};

static void sweep(struct spins spins, const struct model *model, uint64_t step, int colour)
{
    const int width = spins.width, height = spins.height;
    const uint64_t stream = ((uint64_t) 1 << 63) + 32 * (2 * step + (uint64_t) colour);
    for (int y = 0; y < height; y++)
        for (int x = (y + colour) % 2; x < width; x += 2) {
            uint8_t *row = spins.at + y * width;
            const int up = row[(x + 1) % width] + row[(x + width - 1) % width] +
                           spins.at[(y + 1) % height * width + x] + spins.at[(y + height - 1) % height * width + x];
            const double price = (row[x] ? 2 : -2) * (2 * up - 4 + model->field);
            const double weight = exp(-price / model->temperature);
            const double chance = model->heat_bath ? weight / (1 + weight) : fmin(1, weight);
            row[x] ^= turns(chance, model->seed, stream, ((uint64_t) (y / 2) << 32) + (uint64_t) (x / 32), x % 32);
        }
}

static int steps(char **words)
{
    const struct model model = {strcmp(words[0], "heat_bath") == 0, atof(words[1]), atof(words[2]),
                                strtoull(words[3], NULL, 10)};
    struct spins before, after;
    if (read_spins(words[5], &before) || read_spins(words[6], &after))
        return 2;
    for (uint64_t step = 0; step < strtoull(words[4], NULL, 10); step++) {
        sweep(before, &model, step, 0);
        sweep(before, &model, step, 1);
    }
    int differ = before.width != after.width || before.height != after.height;
    for (int i = 0; differ == 0 && i < before.width * before.height; i++)
        differ = before.at[i] != after.at[i];
    printf("%d\n", differ);
    free(before.at);
    free(after.at);
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
    else if (strcmp(what, "steps") == 0 && count == 9)
        return steps(words + 2);
    else
        return fprintf(stderr, "oracle: see the top of oracle.c\n"), 2;
    return 0;
}
