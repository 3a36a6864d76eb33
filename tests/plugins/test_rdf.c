/* Compares the counts of rdf with independent brute force, published shells, and images in double precision. */
#include "tests/candidate.h"
#include "tests/registry.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define KERNEL_ISA plain
#include <rdf/cpu_kernel_vector.h>
#include <rdf/cuda_bin.h>
#include <rdf/cuda_bounds.h>
#include <rdf/cuda_grid.h>
#include <rdf/cuda_tiles.h>

/* ---- Running the plugin ----------------------------------------------------------------------------------------- */

/* Particles, and what is asked about them. */
struct problem {
    uint64_t count;
    float *at;           /* 3 a particle */
    int32_t *species;    /* or NULL */
    const double *box;   /* Lx Ly Lz xy xz yz, or NULL */
    const char *between; /* or NULL: all */
    double r_max;
    uint32_t bins, rows;
    const char *settings; /* more, separated by blanks */
    int layered; /* 1: no images along z, and particles with low <= z < high alone; flat: distances in x and y */
    int flat;
    double low, high;
    uint64_t steps; /* 0: 1 */
};

/* What the plugin says. */
struct answer {
    uint64_t *counts, frames;
    double *r, *g, *n;
};

static void set(struct config *config, const char *format, ...)
{
    char text[1024];
    va_list arguments;
    struct engine_error error;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (config_set(config, text, &error) != 0)
        fail_msg("%s: %s", text, error.text);
}

static void write_npy(const char *path, const char *type, uint64_t count, int components, const void *data)
{
    char shape[64], header[200];
    snprintf(shape, sizeof shape, components > 1 ? "(%llu, %d)" : "(%llu,)", (unsigned long long) count, components);
    const int length =
        snprintf(header, sizeof header, "{'descr': '%s', 'fortran_order': False, 'shape': %s, }", type, shape);
    const uint16_t room = 118;
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    fwrite("\x93NUMPY\x01\x00", 1, 8, file);
    fwrite(&room, 2, 1, file);
    fprintf(file, "%s%*s\n", header, (int) room - length - 1, "");
    fwrite(data, 4, count * (uint64_t) components, file);
    fclose(file);
}

static void *read_field(struct candidate *candidate, uint32_t field, uint64_t count)
{
    struct engine_error error;
    void *out = calloc(count, 8);
    assert_int_equal(state_read(candidate->state, field, 0, count, out, &error), 0);
    return out;
}

static void read_answer(struct candidate *candidate, const struct problem *problem, struct answer *answer)
{
    const uint64_t all = (uint64_t) problem->bins * problem->rows;
    uint64_t *frames = read_field(candidate, RDF_FRAMES, 1);
    answer->frames = *frames;
    answer->counts = read_field(candidate, RDF_COUNTS, all);
    answer->r = read_field(candidate, RDF_R, problem->bins);
    answer->g = read_field(candidate, RDF_G, all);
    answer->n = read_field(candidate, RDF_N, all);
    free(frames);
}

static void free_answer(struct answer *answer)
{
    free(answer->counts), free(answer->r), free(answer->g), free(answer->n);
}

static void configure(struct config *config, const struct problem *problem, const char *settings, const char *folder)
{
    char words[512], *rest = NULL;
    set(config, "run.plugin=rdf");
    set(config, "init.source=arrays");
    set(config, "init.position=%s/position.npy", folder);
    if (problem->species)
        set(config, "init.species=%s/species.npy", folder);
    set(config, "particles.count=%llu", (unsigned long long) problem->count);
    if (problem->box)
        set(config, "particles.box=%.17g %.17g %.17g %.17g %.17g %.17g", problem->box[0], problem->box[1],
            problem->box[2], problem->box[3], problem->box[4], problem->box[5]);
    set(config, "rdf.bins=%u", problem->bins);
    set(config, "rdf.r_max=%.17g", problem->r_max);
    if (problem->between)
        set(config, "rdf.between=%s", problem->between);
    snprintf(words, sizeof words, "%s %s", problem->settings ? problem->settings : "", settings);
    for (char *word = strtok_r(words, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
        set(config, "%s", word);
}

static struct answer ask(const struct problem *problem, const char *impl, const char *settings)
{
    char folder[] = "/tmp/rdf-XXXXXX", path[64];
    struct config *config;
    struct registry *registry;
    struct candidate candidate;
    struct answer answer;
    struct engine_error error;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/position.npy", folder);
    write_npy(path, "<f4", problem->count, 3, problem->at);
    snprintf(path, sizeof path, "%s/species.npy", folder);
    if (problem->species)
        write_npy(path, "<i4", problem->count, 1, problem->species);
    assert_int_equal(config_open(NULL, &config, &error), 0);
    configure(config, problem, settings, folder);
    assert_int_equal(open_built_plugins(&registry, &error), 0);
    if (candidate_open(config, registry, impl, &candidate, &error) != 0 ||
        candidate_advance(&candidate, problem->steps ? problem->steps : 1, UINT64_MAX, &error) != 0)
        fail_msg("%s %s: %s", impl, settings, error.text);
    read_answer(&candidate, problem, &answer);
    candidate_close(&candidate);
    registry_close(registry);
    config_close(config);
    remove(path);
    snprintf(path, sizeof path, "%s/position.npy", folder);
    remove(path);
    rmdir(folder);
    return answer;
}

/* Every way that the CPU has, and with TEST_CUDA in the environment the GPU. */
static const struct {
    const char *impl, *settings;
} ways[] = {
    {"cpu-serial", ""},
    {"cpu", "run.threads=1 rdf.cells=no"},
    {"cpu", "run.threads=2 rdf.cells=yes"},
    {"cpu", "run.threads=3 rdf.cells=auto"},
    {"cpu", "run.threads=2 rdf.cells=no rdf.instructions=avx2"},
    {"cpu", "run.threads=1 rdf.cells=yes rdf.instructions=avx2"},
    {"cpu", "run.threads=2 rdf.cells=no rdf.instructions=plain"},
    {"cpu", "run.threads=3 rdf.cells=yes rdf.instructions=plain"},
    {"cuda-naive", "rdf.block_size=64"},
    {"cuda-shared", ""},
    {"cuda", "rdf.cells=no"},
    {"cuda", "rdf.cells=yes"},
};

static int way_is_there(size_t way)
{
    if (strstr(ways[way].impl, "cuda"))
        return getenv("TEST_CUDA") != NULL;
    if (!strstr(ways[way].settings, "avx2"))
        return 1;
#if defined(__x86_64__)
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
#else
    return 0;
#endif
}

static void expect_counts(const struct problem *problem, const uint64_t *should)
{
    for (size_t way = 0; way < sizeof ways / sizeof ways[0]; way++) {
        if (!way_is_there(way))
            continue;
        struct answer is = ask(problem, ways[way].impl, ways[way].settings);
        for (uint64_t k = 0; k < (uint64_t) problem->bins * problem->rows; k++)
            if (is.counts[k] != should[k])
                fail_msg("%s %s, %llu particles: count %llu is %llu, expected %llu", ways[way].impl, ways[way].settings,
                         (unsigned long long) problem->count, (unsigned long long) k, (unsigned long long) is.counts[k],
                         (unsigned long long) should[k]);
        free_answer(&is);
    }
}

/* ---- Particles --------------------------------------------------------------------------------------------------- */

static uint64_t random_state;

static double uniform(void)
{
    random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double) (random_state >> 11) * 0x1p-53;
}

/* In a cube from `low` on. The caller frees problem->at. */
static void scatter(struct problem *problem, uint64_t count, double low, double edge)
{
    problem->count = count;
    problem->at = malloc(count * 3 * sizeof(float));
    for (uint64_t i = 0; i < 3 * count; i++)
        problem->at[i] = (float) (low + edge * uniform());
}

/* ---- The definition, by brute force ------------------------------------------------------------------------------ */

static int in_row(const char *between, uint32_t row, int32_t s, int32_t t)
{
    for (; row > 0; row--)
        between = strchr(between, ',') + 1;
    int a, b;
    sscanf(between, "%d %d", &a, &b);
    return (s == a && t == b) || (s == b && t == a);
}

/* Open and orthorhombic boxes, with places in the box: the words of rdf.h, one after the other. */
static float difference(const struct problem *problem, int c, const float *a, const float *b)
{
    if (c == 2 && problem->flat)
        return 0;
    const float d = b[c] - a[c], image = problem->box ? (float) problem->box[c] - fabsf(d) : INFINITY;
    if (!problem->box || (c == 2 && problem->layered))
        return d;
    return fabsf(d) <= image ? fabsf(d) : image;
}

static int is_in_layer(const struct problem *problem, const float *at)
{
    return !problem->layered || ((double) at[2] >= problem->low && (double) at[2] < problem->high);
}

static uint64_t *brute_force(const struct problem *problem, uint64_t block)
{
    uint64_t *counts = calloc((uint64_t) problem->bins * problem->rows, sizeof *counts);
    const float dr = (float) (problem->r_max / problem->bins);
    for (uint64_t j = 0; j < problem->count; j++)
        for (uint64_t i = 0; i < j; i++) {
            const float *a = problem->at + 3 * i, *b = problem->at + 3 * j;
            float d[3];
            if (!is_in_layer(problem, a) || !is_in_layer(problem, b))
                continue;
            for (int c = 0; c < 3; c++)
                d[c] = difference(problem, c, a, b);
            const volatile float zz = d[2] * d[2];
            const volatile float root = sqrtf(fmaf(d[0], d[0], fmaf(d[1], d[1], zz)));
            const volatile float bin = root / dr;
            for (uint32_t row = 0; row < problem->rows && bin < problem->bins; row++)
                if ((!problem->between || in_row(problem->between, row, problem->species[i], problem->species[j])) &&
                    (block <= 1 || i / block != j / block))
                    counts[row * problem->bins + (uint32_t) floorf(bin)]++;
        }
    return counts;
}

static void expect_definition(const struct problem *problem, uint64_t block)
{
    uint64_t *should = brute_force(problem, block);
    expect_counts(problem, should);
    free(should);
}

static void random_particles_in_open_space(void **state)
{
    (void) state;
    static const uint64_t sizes[] = {1, 2, 3, 15, 16, 17, 33, 63, 64, 65, 129, 1000, 2049};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        for (uint32_t bins = 1; bins <= 8192; bins = bins * 9 - 1) {
            struct problem problem = {.bins = bins, .rows = 1, .r_max = i % 2 ? 0.7 : 1.9};
            scatter(&problem, sizes[i], -3, 1);
            expect_definition(&problem, 1);
            free(problem.at);
        }
}

static void tiny_huge_and_equal_places(void **state)
{
    (void) state;
    static const struct {
        double low, edge, r_max;
    } spaces[] = {{0, 1e-8, 1e-9}, {-1e15, 2e15, 9e14}, {1e6, 1, 0.5},
                  {5, 0, 1},       {-1e18, 1e18, 1e15}, {0, 1e-30, 1e-9}};
    for (size_t i = 0; i < sizeof spaces / sizeof spaces[0]; i++) {
        struct problem problem = {.bins = 100, .rows = 1, .r_max = spaces[i].r_max};
        scatter(&problem, 300, spaces[i].low, spaces[i].edge);
        expect_definition(&problem, 1);
        free(problem.at);
    }
}

static void periodic_boxes(void **state)
{
    (void) state;
    static const double boxes[][6] = {{1, 1, 1}, {2, 3, 5}, {10, 4, 100}, {0.1f, 0.3f, 0.7f}};
    for (size_t i = 0; i < sizeof boxes / sizeof boxes[0]; i++)
        for (int part = 1; part <= 9; part += 4) {
            const double least = fmin(fmin(boxes[i][0], boxes[i][1]), boxes[i][2]);
            struct problem problem = {.bins = 200, .rows = 1, .box = boxes[i], .r_max = least / 2 / part};
            scatter(&problem, 1200, 0, 1);
            for (uint64_t k = 0; k < 3 * problem.count; k++)
                problem.at[k] = fminf(problem.at[k] * (float) boxes[i][k % 3], nextafterf((float) boxes[i][k % 3], 0));
            expect_definition(&problem, 1);
            free(problem.at);
        }
}

/* Points of a grid of step dr / 2: many distances are bin edges, exactly. */
/* So many particles that `cpu` counts couples of neighbours together and reads shuffled chunks: with wide and narrow
 * bins, in and out of range, dense and thin places, and particles at one place. */
static void many_particles(void **state)
{
    (void) state;
    static const double box[6] = {1, 1.25, 2};
    static const struct {
        const double *box;
        double r_max;
        uint32_t bins;
    } cases[] = {{NULL, 2.6, 60}, {NULL, 2.6, 512}, {NULL, 0.8, 100}, {NULL, 2.6, 2047},
                 {box, 0.5, 30},  {box, 0.5, 100},  {box, 0.2, 7},    {NULL, 0.1, 3}};
    int32_t species[3001];
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct problem problem = {.bins = cases[i].bins,
                                  .rows = 2,
                                  .box = cases[i].box,
                                  .r_max = cases[i].r_max,
                                  .species = species,
                                  .between = i % 2 ? "0 0,0 1" : "0 1,0 0"};
        scatter(&problem, 3001, 0, 1);
        for (uint64_t k = 0; k < problem.count; k++) {
            species[k] = k % 8 == 5;
            problem.at[3 * k + 1] *= 1.25f;
            problem.at[3 * k + 2] *= k % 3 ? 0.25f : 2;
            if (k > 2700)
                memcpy(problem.at + 3 * k, problem.at + 3 * (k % 200), 3 * sizeof(float));
        }
        for (uint64_t k = 0; k < 3 * problem.count; k++)
            problem.at[k] = fminf(problem.at[k], nextafterf((float) box[k % 3], 0));
        expect_definition(&problem, 1);
        free(problem.at);
    }
}

static void distances_on_edges(void **state)
{
    (void) state;
    static const double box[6] = {2, 2, 2};
    for (int periodic = 0; periodic < 2; periodic++) {
        struct problem problem = {.bins = 8, .rows = 1, .r_max = 1, .box = periodic ? box : NULL};
        scatter(&problem, 1500, 0, 1);
        for (uint64_t k = 0; k < 3 * problem.count; k++)
            problem.at[k] = floorf(problem.at[k] * 32) / 16;
        expect_definition(&problem, 1);
        free(problem.at);
    }
}

/* Forty in a line, a bin apart: 40 - k pairs are k bins apart, and count in bin k; at r_max none. */
static void a_line_a_bin_apart(void **state)
{
    (void) state;
    struct problem problem = {.bins = 16, .rows = 1, .r_max = 4};
    uint64_t should[16] = {0};
    scatter(&problem, 40, 0, 0);
    for (int i = 0; i < 40; i++)
        problem.at[3 * i + 1] = (float) i / 4;
    for (int k = 1; k < 16; k++)
        should[k] = (uint64_t) (40 - k);
    expect_counts(&problem, should);
    free(problem.at);
}

static void species_and_molecules(void **state)
{
    (void) state;
    static const double box[6] = {1, 1, 1};
    static const char *const between[] = {"0 1", "2 2", "0 0, 0 1, 1 1,1 0, 1 2", "1 1"};
    static const uint32_t rows[] = {1, 1, 5, 1};
    int32_t species[900];
    for (int i = 0; i < 900; i++)
        species[i] = (int32_t) (uniform() * 3);
    for (int i = 0; i < 4; i++)
        for (uint64_t block = 1; block <= 7; block += 3)
            for (int part = 1; part <= 5; part += 4) {
                char settings[64];
                struct problem problem = {.bins = 50, .rows = rows[i], .species = species, .between = between[i]};
                snprintf(settings, sizeof settings, "rdf.exclude_block=%llu", (unsigned long long) block);
                problem.box = box, problem.r_max = 0.5 / part, problem.settings = settings;
                scatter(&problem, 900, 0, 0.9999);
                expect_definition(&problem, block);
                free(problem.at);
            }
}

/* In a box and in open space; with all particles and with those of a layer. */
static void planes_and_slabs(void **state)
{
    (void) state;
    static const double edges[6] = {1, 1.5, 0.6};
    static const double layers[][2] = {{0, 0.6}, {0.25, 0.5}, {0.1, 0.15}};
    int32_t species[1500];
    for (int i = 0; i < 1500; i++)
        species[i] = (int32_t) (uniform() * 3);
    for (int i = 0; i < 2 * 3 * 2 * 2; i++) {
        const double *box = i % 2 ? edges : NULL, *layer = layers[i / 2 % 3];
        const int flat = i / 6 % 2, named = i / 12;
        char settings[128];
        struct problem problem = {.bins = 60,
                                  .rows = named ? 2 : 1,
                                  .box = box,
                                  .r_max = i % 5 < 3 ? 0.5 : 0.13,
                                  .layered = 1,
                                  .flat = flat,
                                  .low = layer[0],
                                  .high = layer[1]};
        if (!box && !flat)
            continue;
        problem.species = species, problem.between = named ? "1 1, 0 1" : NULL, problem.settings = settings;
        snprintf(settings, sizeof settings, "rdf.geometry=%s rdf.z_min=%g rdf.z_max=%g rdf.exclude_block=%d",
                 flat ? "plane" : "slab", layer[0], layer[1], named ? 3 : 1);
        scatter(&problem, 1500, 0, 1);
        for (uint64_t k = 2; k < 3 * problem.count; k += 3)
            problem.at[k] *= 0.5999f;
        expect_definition(&problem, named ? 3 : 1);
        free(problem.at);
    }
}

/* ---- Images, in double precision --------------------------------------------------------------------------------- */

/* Bounds of the counts: the pairs whose nearest image is certainly in a bin, and those for which floats may say the
 * neighbouring one. Nothing is wrapped: as many images as these boxes and places can need. */
static void count_images(const struct problem *problem, uint64_t *sure, uint64_t *doubtful)
{
    const double *L = problem->box, dr = problem->r_max / problem->bins;
    for (uint64_t p = 0; p < problem->count * problem->count; p++) {
        const uint64_t i = p / problem->count, j = p % problem->count;
        double d[3], least = INFINITY;
        for (int c = 0; c < 3; c++)
            d[c] = (double) problem->at[3 * j + c] - (double) problem->at[3 * i + c];
        for (int m = 0; i < j && m < 11 * 21 * 31; m++) {
            const int c = m % 11 - 5, b = m / 11 % 21 - 10, a = m / 231 - 15;
            const double x = d[0] + a * L[0] + b * L[3] + c * L[4], y = d[1] + b * L[1] + c * L[5], z = d[2] + c * L[2];
            least = fmin(least, sqrt(x * x + y * y + z * z));
        }
        const double bin = least / dr, edge = rint(bin);
        if (fabs(bin - edge) > 2e-3 && bin < problem->bins)
            sure[(int) bin]++;
        for (int side = -1; side <= 0 && fabs(bin - edge) <= 2e-3; side++)
            if (edge + side >= 0 && edge + side < problem->bins)
                doubtful[(int) edge + side]++;
    }
}

static void boxes_equal_their_images(void **state)
{
    (void) state;
    static const double boxes[][6] = {{3, 4, 5, 0, 0, 0},        {4, 3.4641016, 3.2659863, 2, 2, 1.1547005},
                                      {3, 3, 3, 1.4, -1.4, 1.4}, {3, 4, 2, 3.5, -2.5, 5},
                                      {2, 6, 6, -0.9, 0.9, 3},   {6, 2, 2.5, 3, 0, 0}};
    for (size_t i = 0; i < sizeof boxes / sizeof boxes[0]; i++)
        for (int part = 1; part <= 4; part += 3) {
            uint64_t sure[20] = {0}, doubtful[20] = {0};
            struct problem problem = {.bins = 20, .rows = 1, .box = boxes[i]};
            problem.r_max = fmin(fmin(boxes[i][0], boxes[i][1]), boxes[i][2]) / 2 / part;
            scatter(&problem, 80, -2, 6); /* some outside the box */
            count_images(&problem, sure, doubtful);
            for (size_t way = 0; way < sizeof ways / sizeof ways[0]; way++) {
                if (!way_is_there(way))
                    continue;
                struct answer is = ask(&problem, ways[way].impl, ways[way].settings);
                for (int k = 0; k < 20; k++)
                    if (is.counts[k] < sure[k] || is.counts[k] > sure[k] + doubtful[k])
                        fail_msg("box %zu, %s %s: count %d is %llu, expected %llu and up to %llu more", i,
                                 ways[way].impl, ways[way].settings, k, (unsigned long long) is.counts[k],
                                 (unsigned long long) sure[k], (unsigned long long) doubtful[k]);
                free_answer(&is);
            }
            free(problem.at);
        }
}

/* ---- Lattices ---------------------------------------------------------------------------------------------------- */

/* n cells a side with a basis of up to four places, in units of the box's edges. */
static void fill_lattice(struct problem *problem, int n, int basis, const double at[][3])
{
    const double *L = problem->box;
    problem->count = (uint64_t) (n * n * n * basis);
    problem->at = malloc(problem->count * 3 * sizeof(float));
    for (int i = 0; i < n * n * n * basis; i++) {
        const int cell = i / basis;
        const double u = (cell % n + at[i % basis][0]) / n, v = (cell / n % n + at[i % basis][1]) / n;
        const double w = (cell / n / n + at[i % basis][2]) / n;
        problem->at[3 * i] = (float) (u * L[0] + v * L[3] + w * L[4]);
        problem->at[3 * i + 1] = (float) (v * L[1] + w * L[5]);
        problem->at[3 * i + 2] = (float) (w * L[2]);
    }
}

/* Neighbours up to half way between a shell and the next. */
static void expect_shells(const struct problem *problem, const double *radii, const int *neighbours, int shells)
{
    for (size_t way = 0; way < sizeof ways / sizeof ways[0]; way++) {
        if (!way_is_there(way))
            continue;
        struct answer is = ask(problem, ways[way].impl, ways[way].settings);
        double sum = 0;
        for (int s = 0; s + 1 < shells; s++) {
            const int bin = (int) ((radii[s] + radii[s + 1]) / 2 / problem->r_max * problem->bins);
            sum += neighbours[s];
            if (is.n[bin] != sum)
                fail_msg("%s %s: n(%g) is %.17g, expected %g", ways[way].impl, ways[way].settings, is.r[bin], is.n[bin],
                         sum);
        }
        free_answer(&is);
    }
}

/* Coordination shells as in any table: radii in units of the cubic cell, or of the nearest distance. */
static void lattices_have_their_shells(void **state)
{
    (void) state;
    static const double cube[6] = {7, 7, 7};
    static const double fcc[4][3] = {{0, 0, 0}, {0.5, 0.5, 0}, {0.5, 0, 0.5}, {0, 0.5, 0.5}},
                        bcc[2][3] = {{0, 0, 0}, {0.5, 0.5, 0.5}};
    static const double fcc_radii[] = {0.70710678, 1, 1.2247449, 1.4142136, 1.5811388, 1.7320508, 1.8708287, 2};
    static const int fcc_neighbours[] = {12, 6, 24, 12, 24, 8, 48, 6};
    static const double bcc_radii[] = {0.8660254, 1, 1.4142136, 1.6583124, 1.7320508, 2};
    static const int bcc_neighbours[] = {8, 6, 12, 24, 8, 6};
    /* the same fcc by its primitive cell, whose edges are the nearest distance, 60 degrees apart */
    static const double skewed[6] = {7, 6.0621778264910704, 5.7154760664940828, 3.5, 3.5, 2.0207259421636903};
    double primitive_radii[8];
    for (int s = 0; s < 8; s++)
        primitive_radii[s] = fcc_radii[s] * 1.4142136;
    struct problem problem = {.bins = 700, .rows = 1, .r_max = 2.8, .box = cube};
    fill_lattice(&problem, 7, 4, fcc);
    expect_shells(&problem, fcc_radii, fcc_neighbours, 8);
    free(problem.at);
    fill_lattice(&problem, 7, 2, bcc);
    expect_shells(&problem, bcc_radii, bcc_neighbours, 6);
    free(problem.at);
    problem.box = skewed;
    fill_lattice(&problem, 7, 1, fcc);
    expect_shells(&problem, primitive_radii, fcc_neighbours, 7);
    free(problem.at);
}

/* ---- Curves ------------------------------------------------------------------------------------------------------ */

/* Uniform in a box: sums over 20 bins stray from g = 1 as counts do, by their root. */
static void an_ideal_gas_has_no_structure(void **state)
{
    (void) state;
    static const double box[6] = {10, 10, 10, 4, -3, 2};
    struct problem problem = {.bins = 200, .rows = 1, .r_max = 5, .box = box};
    scatter(&problem, 6000, 0, 1);
    for (uint64_t i = 0; i < problem.count; i++) {
        float *at = problem.at + 3 * i;
        at[0] = 10 * at[0] + 4 * at[1] - 3 * at[2], at[1] = 10 * at[1] + 2 * at[2], at[2] *= 10;
    }
    struct answer is = ask(&problem, "cpu", "");
    for (int first = 0; first < 200; first += 20) {
        double count = 0, even = 0;
        for (int k = first; k < first + 20; k++) {
            count += (double) is.counts[k];
            even += 4 * M_PI / 3 * (pow((k + 1) * 0.025, 3) - pow(k * 0.025, 3)) / 1000 * (6000.0 * 5999 / 2);
            assert_true(
                is.counts[k] == 0 ||
                fabs(is.g[k] - (double) is.counts[k] / (4 * M_PI / 3 * (pow((k + 1) * 0.025, 3) - pow(k * 0.025, 3)) /
                                                        1000 * (6000.0 * 5999 / 2))) < 1e-5 * is.g[k]);
        }
        if (fabs(count - even) > 5 * sqrt(even))
            fail_msg("bins %d to %d hold %.0f pairs; %.0f +- %.0f were expected", first, first + 19, count, even,
                     sqrt(even));
    }
    free_answer(&is);
    free(problem.at);
}

/* What a shell has within a slab, by a sum over discs. Two points are z apart with the density 2 (h - z) / h^2. */
static double shell_in_slab(double inner, double outer, double height)
{
    enum { DISCS = 20000 };
    double sum = 0;
    for (int i = 0; i < DISCS; i++) {
        const double z = (i + 0.5) / DISCS * height;
        const double disc = fmax(outer * outer - z * z, 0) - fmax(inner * inner - z * z, 0);
        sum += 2 * (height - z) / height * M_PI * disc / DISCS;
    }
    return sum * height;
}

/* g of an ideal gas between two walls is 1 at every distance, also beyond that of the walls; in a plane too. */
static void an_ideal_gas_between_walls(void **state)
{
    (void) state;
    static const double box[6] = {10, 10, 4, 3};
    for (int flat = 0; flat < 2; flat++) {
        struct problem problem = {.bins = 50, .rows = 1, .r_max = 5, .box = box, .layered = 1, .flat = flat};
        problem.settings = flat ? "rdf.geometry=plane" : "rdf.geometry=slab rdf.z_min=0.5 rdf.z_max=3";
        scatter(&problem, 4000, 0, 1);
        for (uint64_t i = 0; i < problem.count; i++) {
            float *at = problem.at + 3 * i;
            at[0] = 10 * at[0] + 3 * at[1], at[1] *= 10, at[2] = at[2] * 2.5f + 0.5f;
        }
        struct answer is = ask(&problem, "cpu", "");
        for (int k = 0; k < 50; k++) {
            const double inner = k * 0.1, outer = (k + 1) * 0.1, pairs = 4000.0 * 3999 / 2;
            const double part =
                flat ? M_PI * (outer * outer - inner * inner) / 100 : shell_in_slab(inner, outer, 2.5) / 250;
            if (fabs((double) is.counts[k] - pairs * part) > 5 * sqrt(pairs * part) + 1)
                fail_msg("%d: bin %d has %g pairs, expected %g", flat, k, (double) is.counts[k], pairs * part);
            assert_true(fabs(is.g[k] - (double) is.counts[k] / (pairs * part)) <= 2e-6 * is.g[k] + 1e-12);
        }
        free_answer(&is);
        free(problem.at);
    }
}

static void expect_curve(const struct problem *problem, const char *what, double g, double n)
{
    struct answer serial = ask(problem, "cpu-serial", ""), is = ask(problem, "cpu", "");
    assert_int_equal(is.frames, problem->steps ? problem->steps : 1);
    assert_memory_equal(serial.g, is.g, problem->bins * sizeof *is.g);
    assert_memory_equal(serial.n, is.n, problem->bins * sizeof *is.n);
    if (fabs(is.g[3] - g) > 1e-6 * g || fabs(is.n[3] - n) > 1e-12 || fabs(is.r[3] - 3.5) > 1e-6)
        fail_msg("%s: at %g, g is %.9g and n %.9g; expected %.9g and %.9g", what, is.r[3], is.g[3], is.n[3], g, n);
    free_answer(&serial), free_answer(&is);
}

/* Three particles: one pair 3.5 apart, two 20 and more. The shell from 3 to 4 has 4/3 pi 37. */
static void curves_of_one_pair(void **state)
{
    (void) state;
    static const double box[6] = {100, 100, 100};
    static int32_t species[] = {4, 9, 9};
    const double shell = 4 * M_PI / 3 * 37;
    struct problem problem = {.bins = 10, .rows = 1, .r_max = 10, .box = box, .species = species};
    scatter(&problem, 3, 0, 0);
    problem.at[3] = 3.5f, problem.at[7] = 30;
    expect_curve(&problem, "3 pairs in the box", 1e6 / shell / 3, 2.0 / 3);
    problem.steps = 5;
    expect_curve(&problem, "5 frames", 1e6 / shell / 3, 2.0 / 3);
    problem.settings = "rdf.finite_size=no";
    expect_curve(&problem, "9/2 pairs", 1e6 / shell / 4.5, 2.0 / 3);
    problem.settings = NULL, problem.between = "4 9";
    expect_curve(&problem, "one 4 with two 9", 1e6 / shell / 2, 1);
    problem.between = "9 4";
    expect_curve(&problem, "two 9 with one 4", 1e6 / shell / 2, 0.5);
    problem.between = NULL, problem.box = NULL, problem.settings = "rdf.volume=5000";
    expect_curve(&problem, "a volume", 5000 / shell / 3, 2.0 / 3);
    problem.settings = "";
    expect_curve(&problem, "a density", 2.0 / 3 / shell, 2.0 / 3);
    problem.settings = "rdf.exclude_block=2";
    expect_curve(&problem, "the pair is excluded", 0, 0);
    free(problem.at);
}

/* ---- What CUDA does, on the host --------------------------------------------------------------------------------- */

static void mark_item(const struct rdf_item *item, uint32_t own, uint32_t others, uint8_t *met)
{
    assert_true(item->i_end <= own && item->j_end <= others);
    assert_true(item->partial || item->i_end == item->i + RDF_TILE);
    for (uint32_t i = item->i; i < item->i_end; i++)
        for (uint32_t j = item->j; j < item->j_end; j++)
            if (!item->diagonal || i < j)
                met[(uint64_t) i * others + j]++;
}

static void expect_items(uint32_t own, uint32_t others, uint32_t same, uint32_t chunk)
{
    uint8_t *met = calloc((uint64_t) own * others, 1);
    const uint32_t pairs = rdf_tile_count(own) * rdf_tile_offsets(others, same);
    struct rdf_tile_pair pair;
    struct rdf_item item;
    for (uint32_t number = 0; number < pairs + 3; number++) {
        if (!rdf_find_pair(own, others, same, number, &pair))
            continue;
        assert_true(number < pairs);
        for (uint32_t part = 0; part < RDF_TILE / chunk; part++)
            if (rdf_find_item(&pair, own, others, chunk, part, &item))
                mark_item(&item, own, others, met);
    }
    for (uint32_t i = 0; i < own; i++)
        for (uint32_t j = same ? i + 1 : 0; j < others; j++)
            if (met[(uint64_t) i * others + j] + (same ? met[(uint64_t) j * others + i] : 0) != 1)
                fail_msg("%u x %u, chunks of %u: pair %u %u comes %d times", own, others, chunk, i, j,
                         met[(uint64_t) i * others + j] + (same ? met[(uint64_t) j * others + i] : 0));
    free(met);
}

static void items_hold_every_pair_once(void **state)
{
    (void) state;
    static const uint32_t sizes[] = {0, 1, 2, 31, 255, 256, 257, 511, 512, 513, 700, 1024, 1025, 1300, 1537};
    const size_t count = sizeof sizes / sizeof sizes[0];
    for (uint32_t chunk = 32; chunk <= RDF_TILE; chunk *= 2)
        for (size_t i = 0; i < count; i++) {
            expect_items(sizes[i], sizes[i], 1, chunk);
            expect_items(sizes[i], sizes[count - 1 - i], 0, chunk);
        }
}

/* A box as rdf.h describes it, tilts taken as they are. */
static void make_box(const double box[6], struct rdf_box *out)
{
    const int tilted = box[3] != 0 || box[4] != 0 || box[5] != 0;
    memset(out, 0, sizeof *out);
    for (int axis = 0; axis < 3; axis++) {
        out->periodic[axis] = box[axis] > 0;
        out->edge[axis] = box[axis] > 0 ? (float) box[axis] : tilted ? 0 : INFINITY;
        out->inverse[axis] = tilted && box[axis] > 0 ? 1 / out->edge[axis] : 0;
        if (box[axis] > 0)
            out->form = tilted ? RDF_TRICLINIC : RDF_ORTHORHOMBIC;
    }
    out->xy = (float) box[3], out->xz = (float) box[4], out->yz = (float) box[5];
}

/* Places in a box, in a corner of it that is as large as `part` says, some of them on its faces. */
static void fill_corner(const struct rdf_box *box, double part, uint32_t count, float (*at)[3])
{
    double corner[3], size[3];
    for (int axis = 0; axis < 3; axis++) {
        const double edge = box->periodic[axis] ? (double) box->edge[axis] : 5;
        corner[axis] = uniform() * edge, size[axis] = part * edge;
    }
    for (uint32_t i = 0; i < count; i++) {
        float place[3];
        for (int axis = 0; axis < 3; axis++)
            place[axis] = (float) (corner[axis] + size[axis] * (i % 7 == 0 ? rint(uniform()) : uniform()));
        rdf_wrap(box, place, at[i]);
    }
}

static struct rdf_bounds bounds_of(uint32_t count, float (*const at)[3])
{
    struct rdf_bounds bounds = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (uint32_t i = 0; i < count; i++)
        for (int axis = 0; axis < 3; axis++) {
            bounds.low[axis] = fminf(bounds.low[axis], at[i][axis]);
            bounds.high[axis] = fmaxf(bounds.high[axis], at[i][axis]);
        }
    return bounds;
}

static struct rdf_range range_of(const struct rdf_box *box, const struct rdf_bounds *own,
                                 const struct rdf_bounds *other)
{
    float low[3], high[3];
    for (int axis = 0; axis < 3; axis++) {
        low[axis] = own->low[axis] - other->high[axis];
        high[axis] = own->high[axis] - other->low[axis];
    }
    return rdf_range_of(box, low, high);
}

/* What is said of all pairs is true of each; how often it says something is added up. */
static void expect_range(const struct rdf_box *box, uint32_t count, float (*const own)[3], float (*const other)[3],
                         uint64_t seen[3])
{
    const struct rdf_bounds bounds = bounds_of(count, own), others = bounds_of(count, other);
    const struct rdf_range range = range_of(box, &bounds, &others);
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t j = 0; j < count; j++) {
            const float x = own[i][0] - other[j][0], y = own[i][1] - other[j][1], z = own[i][2] - other[j][2];
            const float square = rdf_square(box, x, y, z), along = rdf_square_along(box, range.axes, x, y, z);
            if (square != along || square < range.nearest || (range.axes == 0 && square > range.farthest))
                fail_msg("box %u: d^2 = %a, along axes %u %a, from %a to %a", box->form, (double) square, range.axes,
                         (double) along, (double) range.nearest, (double) range.farthest);
        }
    seen[0] += range.axes == 0, seen[1] += range.axes > 0 && range.axes<RDF_ALL_AXES, seen[2] += range.nearest> 0;
}

/* Tiles, and single particles as tiles of one, large and small, in boxes of every form. */
static void bounds_hold_for_all_pairs(void **state)
{
    (void) state;
    static const double boxes[][6] = {{0},
                                      {2, 3, 5},
                                      {0.1, 0, 0.7},
                                      {4, 3.4641016, 3.2659863, 2, 2, 1.1547005},
                                      {3, 4, 2, 3.5, -2.5, 5},
                                      {6, 2, 0, 3},
                                      {1e-3, 1e5, 7, 1e-4, 4e-4, -3e4}};
    for (size_t i = 0; i < sizeof boxes / sizeof boxes[0]; i++) {
        uint64_t seen[3] = {0};
        struct rdf_box box;
        make_box(boxes[i], &box);
        for (int n = 0; n < 3000; n++) {
            float own[40][3], other[40][3];
            const uint32_t count = n % 5 ? 40 : 1;
            fill_corner(&box, pow(2, -6 * uniform()), 40, own);
            fill_corner(&box, pow(2, -6 * uniform()), count, other);
            for (uint32_t j = count; j < 40; j++)
                memcpy(other[j], other[0], sizeof other[0]);
            expect_range(&box, 40, own, other, seen);
        }
        /* and it does say something */
        if (seen[0] < 100 || (box.form != RDF_OPEN && seen[1] < 100) || seen[2] < 100)
            fail_msg("box %zu: no image %llu, images along some axes %llu, apart %llu of 3000 times", i,
                     (unsigned long long) seen[0], (unsigned long long) seen[1], (unsigned long long) seen[2]);
    }
}

/* Cells are numbered from 0 on without gaps, each next to the one before: along one axis, by one. */
static void expect_path(const struct rdf_grid *grid, uint32_t cells)
{
    const uint32_t all = grid->count[0] * grid->count[1] * grid->count[2];
    int(*where)[3] = malloc(all * sizeof *where);
    memset(where, 0xff, all * sizeof *where);
    assert_in_range(all, 1, cells);
    for (uint32_t n = 0; n < all; n++) {
        const int at[3] = {(int) (n % grid->count[0]), (int) (n / grid->count[0] % grid->count[1]),
                           (int) (n / grid->count[0] / grid->count[1])};
        float place[3];
        for (int axis = 0; axis < 3; axis++)
            place[axis] = grid->low[axis] + (grid->scale[axis] > 0 ? ((float) at[axis] + 0.5f) / grid->scale[axis] : 0);
        const uint32_t cell = rdf_grid_cell(grid, place);
        assert_true(cell < all && where[cell][0] < 0);
        memcpy(where[cell], at, sizeof at);
    }
    for (uint32_t n = 1; n < all; n++)
        assert_int_equal(abs(where[n][0] - where[n - 1][0]) + abs(where[n][1] - where[n - 1][1]) +
                             abs(where[n][2] - where[n - 1][2]),
                         1);
    free(where);
}

static void cells_are_a_path_through_all(void **state)
{
    (void) state;
    static const float extents[][3] = {{1, 1, 1}, {7, 1, 1}, {1, 30, 2}, {3, 3, 0.01f}, {1e-3f, 50, 1}, {0, 4, 4}};
    static const uint32_t counts[] = {1, 255, 257, 5000, 44028, 300000};
    for (size_t i = 0; i < sizeof extents / sizeof extents[0]; i++)
        for (size_t k = 0; k < sizeof counts / sizeof counts[0]; k++) {
            const struct rdf_bounds bounds = {{-1, 2, 0.5f},
                                              {-1 + extents[i][0], 2 + extents[i][1], 0.5f + extents[i][2]}};
            const struct rdf_grid grid = rdf_grid_of(&bounds, counts[k]);
            expect_path(&grid, rdf_cells_of(counts[k]));
        }
}

/* Whatever they are: all in one place, next to it, as far apart as places may be. */
static void cells_of_any_places_are_there(void **state)
{
    (void) state;
    static const float sizes[] = {0, 1e-45f, 1e-38f, 1e-10f, 1, 1e10f, 1e18f};
    for (int n = 0; n < 7 * 7 * 7; n++) {
        const float size[3] = {sizes[n % 7], sizes[n / 7 % 7], sizes[n / 49]};
        const struct rdf_bounds bounds = {{-size[0], -size[1], 0}, {size[0], size[1], size[2]}};
        const struct rdf_grid grid = rdf_grid_of(&bounds, 3000);
        for (int k = 0; k < 64; k++) {
            const float place[3] = {size[0] * (float) (k % 4 / 1.5 - 1), size[1] * (float) (k / 4 % 4 / 1.5 - 1),
                                    size[2] * (float) (k / 16) / 3};
            assert_in_range(rdf_grid_cell(&grid, place), 0, rdf_cells_of(3000) - 1);
        }
    }
}

static int by_cell(const void *a, const void *b)
{
    const uint32_t first = *(const uint32_t *) a, second = *(const uint32_t *) b;
    return first < second ? -1 : first > second;
}

/* Uniform particles: 256 in the order of cells fill a cuboid of little more than their share of the box. */
static void tiles_are_compact(void **state)
{
    (void) state;
    static const float extents[][3] = {{1, 1, 1}, {20, 3, 5}, {10, 10, 0.1f}};
    enum { COUNT = 60000 };
    struct {
        uint32_t cell;
        float at[3];
    } *particles = malloc(COUNT * sizeof *particles);
    for (size_t i = 0; i < sizeof extents / sizeof extents[0]; i++) {
        const struct rdf_bounds bounds = {{0, 0, 0}, {extents[i][0], extents[i][1], extents[i][2]}};
        const struct rdf_grid grid = rdf_grid_of(&bounds, COUNT);
        double volume = 0;
        for (int n = 0; n < COUNT; n++) {
            for (int axis = 0; axis < 3; axis++)
                particles[n].at[axis] = (float) (uniform() * (double) extents[i][axis]);
            particles[n].cell = rdf_grid_cell(&grid, particles[n].at);
        }
        qsort(particles, COUNT, sizeof *particles, by_cell);
        for (int n = 0; n + RDF_TILE <= COUNT; n += RDF_TILE) {
            float at[RDF_TILE][3];
            for (int k = 0; k < RDF_TILE; k++)
                memcpy(at[k], particles[n + k].at, sizeof at[k]);
            const struct rdf_bounds tile = bounds_of(RDF_TILE, at);
            volume += (double) (tile.high[0] - tile.low[0]) * (double) (tile.high[1] - tile.low[1]) *
                      (double) (tile.high[2] - tile.low[2]);
        }
        volume /= (double) (extents[i][0] * extents[i][1] * extents[i][2]);
        if (volume > 1.5)
            fail_msg("extents %zu: tiles fill %g times the box", i, volume);
    }
    free(particles);
}

static float of_bits(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static uint32_t bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* With a root that is off as far as the machine's may be, to both sides. */
static void expect_slot(const struct rdf_bins *bins, struct rdf_binning binning, const float *thresholds, float square)
{
    const float root = sqrtf(square);
    const double exact = sqrt((double) square);
    const float roots[] = {root, (float) (exact * (1 - 0x1p-23)), (float) (exact * (1 + 0x1p-23)), nextafterf(root, 0),
                           nextafterf(root, INFINITY)};
    for (int r = 0; r < 5; r++) {
        const uint32_t seen = rdf_slot_bits(binning, roots[r]);
        const uint32_t slot = rdf_slot_is_certain(binning, seen)
                                  ? (uint32_t) rdf_slot_of(binning, seen)
                                  : rdf_slot_by_threshold(binning, seen, square, thresholds);
        const uint32_t bin = rdf_bin(bins, square);
        if ((slot < bins->count ? slot : bins->count) != bin || slot > binning.slots)
            fail_msg("%u bins of %g: d^2 = %a is in bin %u, not in %u", bins->count, (double) bins->width,
                     (double) square, bin, slot);
    }
}

static void check_binning(uint32_t count, double r_max)
{
    struct rdf_bins bins = {.count = count, .width = (float) (r_max / count)};
    const struct rdf_binning binning = rdf_binning_of(&bins, RDF_GUARD_MAX);
    float *thresholds = malloc((binning.slots + 2) * sizeof *thresholds);
    for (uint32_t k = 0; k < binning.slots + 2; k++)
        thresholds[k] = k <= count ? rdf_threshold(&bins, k) : INFINITY;
    for (uint32_t k = 1; k <= count; k++) {
        float begin, end;
        const uint32_t at = bits_of(thresholds[k]);
        assert_int_equal(rdf_bin(&bins, thresholds[k]) >= k, 1);
        assert_int_equal(rdf_bin(&bins, of_bits(at - 1)) < k, 1);
        rdf_uncertain_range(binning, k, thresholds[k], &begin, &end);
        const uint32_t first = bits_of(begin), step = (bits_of(end) - first) / 300 + 1;
        for (uint32_t bits = first; bits <= bits_of(end); bits += 1 + (uint32_t) (uniform() * 2 * (step - 1)))
            expect_slot(&bins, binning, thresholds, of_bits(bits));
        for (uint32_t bits = at - 30; bits <= at + 30; bits++)
            expect_slot(&bins, binning, thresholds, of_bits(bits));
    }
    for (int i = 0; i < 20000; i++)
        expect_slot(&bins, binning, thresholds, (float) (3 * r_max * r_max * uniform()));
    expect_slot(&bins, binning, thresholds, 0);
    expect_slot(&bins, binning, thresholds, 1e-42f);
    expect_slot(&bins, binning, thresholds, 1e37f);
    free(thresholds);
}

static void slots_are_the_bins(void **state)
{
    (void) state;
    static const uint32_t counts[] = {1, 2, 3, 100, 511, 512, 513, 777, 1000, 8192};
    static const double lengths[] = {1, 132, 38.04, 7e-9, 3e14};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
        check_binning(counts[i], lengths[i % 5]);
}

/* ---- Displacements ----------------------------------------------------------------------------------------------- */

/* d + i a + j b + k c, with whole numbers i, j, k; each found from the last axis on. */
static double distance_to_lattice(const double box[6], const float from[3], const float to[3])
{
    double d[3] = {(double) to[0] - (double) from[0], (double) to[1] - (double) from[1],
                   (double) to[2] - (double) from[2]};
    const double k = rint(d[2] / box[2]), j = rint((d[1] - k * box[5]) / box[1]);
    const double i = rint((d[0] - k * box[4] - j * box[3]) / box[0]);
    d[0] -= i * box[0] + j * box[3] + k * box[4], d[1] -= j * box[1] + k * box[5], d[2] -= k * box[2];
    return sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
}

static void nearest_images_are_images(void **state)
{
    (void) state;
    static const double boxes[][6] = {{10, 12, 14}, {10, 12, 14, 3, -4, 5}, {7, 7, 9, 3.5, 0, 0}};
    for (size_t b = 0; b < sizeof boxes / sizeof boxes[0]; b++) {
        const double *box = boxes[b];
        struct rdf_box rdf = {.form = b > 0 ? RDF_TRICLINIC : RDF_ORTHORHOMBIC,
                              .xy = (float) box[3],
                              .xz = (float) box[4],
                              .yz = (float) box[5]};
        for (int axis = 0; axis < 3; axis++)
            rdf.edge[axis] = (float) box[axis], rdf.inverse[axis] = b > 0 ? 1 / rdf.edge[axis] : 0;
        for (int n = 0; n < 10000; n++) {
            float from[3], to[3];
            for (int axis = 0; axis < 3; axis++)
                from[axis] = to[axis] = (float) ((2 * uniform() - 1) * box[axis]);
            rdf_nearest_image(&rdf, to);
            const float square = fmaf(to[0], to[0], fmaf(to[1], to[1], to[2] * to[2]));
            assert_true(square == rdf_square(&rdf, from[0], from[1], from[2]));
            assert_true(distance_to_lattice(box, from, to) < 1e-5);
        }
    }
}

/* ---- Multiply-adds where the machine has none -------------------------------------------------------------------- */

static void expect_fma(float a, float b, float c)
{
    const float is = FMA(a, b, c), should = fmaf(a, b, c);
    if (memcmp(&is, &should, sizeof is) != 0)
        fail_msg("%a * %a + %a is %a, expected %a", (double) a, (double) b, (double) c, (double) is, (double) should);
}

/* Sums next to the middle between two floats, by less than a double holds: rounded twice they end on the wrong side. */
static void multiply_adds_round_once(void **state)
{
    (void) state;
    for (int sign = -1; sign <= 1; sign += 2)
        for (int odd = 0; odd < 4; odd++) {
            const float c = (float) sign * (1 + (float) odd * 0x1p-23f), a = 0x1p-12f * (1 + 0x1p-23f);
            expect_fma(a, 0x1p-12f * (1 - 0x1p-23f), c);
            expect_fma(-a, 0x1p-12f * (1 - 0x1p-23f), c);
            expect_fma(0x1p-12f, 0x1p-12f, c);
        }
    for (int i = 0; i < 1000000; i++) {
        const float scale = ldexpf(1, (int) (uniform() * 60) - 40);
        expect_fma((float) uniform() * scale, (float) uniform() - 0.5f, (float) uniform());
        expect_fma(floorf((float) uniform() * 4) + 1 + 0x1p-23f, scale * (1 - 0x1p-24f), floorf((float) uniform() * 9));
    }
    expect_fma(0, 0, 0), expect_fma(1e-30f, 1e-30f, 0), expect_fma(1e-20f, 1e-25f, 1e-45f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_particles_in_open_space),
        cmocka_unit_test(tiny_huge_and_equal_places),
        cmocka_unit_test(periodic_boxes),
        cmocka_unit_test(many_particles),
        cmocka_unit_test(distances_on_edges),
        cmocka_unit_test(a_line_a_bin_apart),
        cmocka_unit_test(species_and_molecules),
        cmocka_unit_test(planes_and_slabs),
        cmocka_unit_test(boxes_equal_their_images),
        cmocka_unit_test(lattices_have_their_shells),
        cmocka_unit_test(an_ideal_gas_has_no_structure),
        cmocka_unit_test(an_ideal_gas_between_walls),
        cmocka_unit_test(curves_of_one_pair),
        cmocka_unit_test(items_hold_every_pair_once),
        cmocka_unit_test(bounds_hold_for_all_pairs),
        cmocka_unit_test(cells_are_a_path_through_all),
        cmocka_unit_test(cells_of_any_places_are_there),
        cmocka_unit_test(tiles_are_compact),
        cmocka_unit_test(slots_are_the_bins),
        cmocka_unit_test(nearest_images_are_images),
        cmocka_unit_test(multiply_adds_round_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
