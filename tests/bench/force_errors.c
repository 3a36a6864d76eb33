/* Prints the errors of the forces of nbody or nbody-tree, relative to the size of each force:
 *
 *     build/tests/bench/force_errors EVERY SETTING…
 *
 * as in `force_errors 50 run.plugin=nbody-tree run.implementation=cpu particles.count=100000 init.source=plummer`. It
 * takes the initial state, computes the forces on it once, and adds up the attraction of all bodies in double for every
 * EVERYth body. It prints the median of the errors, their 99th percentile, and the largest. The environment variable
 * BUILD names the build folder (build). */
#include <engine/engine.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The state: three numbers a body. Positions are planar. */
struct bodies {
    uint64_t count;
    double *x, *y, *z, *mass, *acceleration;
};

/* Reads a field as doubles. The caller frees it. */
static int read_field(struct engine_run *run, const char *name, double **numbers, uint64_t *count,
                      struct engine_error *error)
{
    uint32_t field;
    struct engine_shape shape = {.size = sizeof shape};
    int status = engine_run_field(run, name, &field, error);
    if (status != 0)
        return status;
    engine_run_shape(run, field, &shape);
    const uint64_t total = shape.extent[0] * shape.components;
    const size_t size = shape.type == ENGINE_F64 ? sizeof(double) : sizeof(float);
    *count = shape.extent[0];
    *numbers = malloc(total * sizeof(double));
    if (!*numbers)
        abort();
    status = engine_run_read(run, field, NULL, *numbers, total * size, error);
    for (uint64_t i = total; i-- > 0 && size == sizeof(float);) { /* in place, from the last one */
        float narrow;
        memcpy(&narrow, (const char *) *numbers + i * sizeof narrow, sizeof narrow);
        (*numbers)[i] = (double) narrow;
    }
    return status;
}

static int read_bodies(struct engine_run *run, struct bodies *bodies, struct engine_error *error)
{
    double *positions = NULL;
    int status = read_field(run, "position", &positions, &bodies->count, error);
    if (status == 0)
        status = read_field(run, "mass", &bodies->mass, &bodies->count, error);
    if (status == 0)
        status = read_field(run, "acceleration", &bodies->acceleration, &bodies->count, error);
    if (status != 0)
        return status;
    bodies->x = malloc(3 * bodies->count * sizeof(double));
    if (!bodies->x)
        abort();
    bodies->y = bodies->x + bodies->count;
    bodies->z = bodies->y + bodies->count;
    for (uint64_t i = 0; i < bodies->count; i++)
        for (uint64_t c = 0; c < 3; c++)
            bodies->x[c * bodies->count + i] = positions[3 * i + c];
    free(positions);
    return 0;
}

/* The error of the force on body i. */
static double error_of(const struct bodies *bodies, uint64_t i, double softening)
{
    const double *x = bodies->x, *y = bodies->y, *z = bodies->z, *is = bodies->acceleration + 3 * i;
    double a = 0, b = 0, c = 0;
#pragma omp simd reduction(+ : a, b, c)
    for (uint64_t j = 0; j < bodies->count; j++) {
        const double d = x[j] - x[i], e = y[j] - y[i], f = z[j] - z[i];
        const double square = d * d + e * e + f * f + softening * softening;
        const double weight = square > 0 ? bodies->mass[j] / (square * sqrt(square)) : 0;
        a += weight * d, b += weight * e, c += weight * f;
    }
    const double error = sqrt((is[0] - a) * (is[0] - a) + (is[1] - b) * (is[1] - b) + (is[2] - c) * (is[2] - c));
    return error > 0 ? error / sqrt(a * a + b * b + c * c) : error;
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *) a, y = *(const double *) b;
    return (x > y) - (x < y);
}

static int print_errors(const struct bodies *bodies, uint64_t every, double softening)
{
    const uint64_t samples = (bodies->count + every - 1) / every;
    double *errors = malloc(samples * sizeof *errors);
    if (!errors)
        abort();
#pragma omp parallel for schedule(dynamic)
    for (uint64_t s = 0; s < samples; s++)
        errors[s] = error_of(bodies, s * every, softening);
    for (uint64_t s = 0; s < samples; s++)
        if (isnan(errors[s])) {
            fprintf(stderr, "force_errors: the force on body %llu is not a number\n", (unsigned long long) (s * every));
            return 1;
        }
    qsort(errors, samples, sizeof *errors, ascending);
    printf("%llu bodies, %llu forces: median %.1e, 99th percentile %.1e, largest %.1e\n",
           (unsigned long long) bodies->count, (unsigned long long) samples, errors[samples / 2],
           errors[(samples - 1) * 99 / 100], errors[samples - 1]);
    free(errors);
    return 0;
}

/* Bodies do not move: the time step is 0. The settings of both plugins are made, because one of them is used. */
static int configure(struct engine_config *config, char **settings, struct engine_error *error)
{
    static const char *const own[] = {"nbody.dt=0", "nbody-tree.dt=0"};
    int status = 0;
    for (; status == 0 && *settings; settings++)
        status = engine_config_set(config, *settings, error);
    for (int i = 0; status == 0 && i < 2; i++)
        status = engine_config_set(config, own[i], error);
    return status;
}

static double softening_of(const struct engine_config *config)
{
    const char *plugin = engine_config_get(config, "run", "plugin");
    const char *text = plugin ? engine_config_get(config, plugin, "softening") : NULL;
    return text ? atof(text) : 0.05;
}

static int measure(struct engine_config *config, uint64_t every, struct engine_error *error)
{
    struct engine_run *run = NULL;
    struct bodies bodies = {0};
    int status = engine_run_plan(config, &run, error);
    if (status == 0)
        status = engine_run_start(run, error);
    if (status == 0)
        status = engine_run_advance(run, 1, NULL, NULL, error);
    if (status == 0)
        status = read_bodies(run, &bodies, error);
    if (status == 0)
        error->status = print_errors(&bodies, every, softening_of(config));
    engine_run_close(run);
    free(bodies.x), free(bodies.mass), free(bodies.acceleration);
    return status;
}

int main(int count, char **words)
{
    char folder[4096];
    const char *const build = getenv("BUILD"), *const folders[] = {folder};
    const struct engine_hooks hooks = {.size = sizeof hooks, .plugin_folder_count = 1, .plugin_folders = folders};
    struct engine_context *context = NULL;
    struct engine_config *config = NULL;
    struct engine_error error = {0, ""};
    const int every = count > 2 ? atoi(words[1]) : 0;
    snprintf(folder, sizeof folder, "%s/plugins", build ? build : "build");
    if (every < 1) {
        fprintf(stderr, "usage: force_errors EVERY SETTING...\n");
        return 2;
    }
    if (engine_open(&hooks, &context, &error) != 0 || engine_config_open(context, NULL, &config, &error) != 0 ||
        configure(config, words + 2, &error) != 0 || measure(config, (uint64_t) every, &error) != 0)
        fprintf(stderr, "force_errors: %s\n", error.text);
    engine_config_close(config);
    engine_close(context);
    return error.status;
}
