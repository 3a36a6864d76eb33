/* What random soups of the Game of Life settle into: the population and the period of each, for as many seeds as asked
 * for, and a histogram of the populations.
 *
 *     soups [SOUPS [SIDE [STEPS]]]      1000 soups on a torus of 64 x 64 cells, after 6000 steps
 *
 * All soups are one run: [grid] batch gives the number of universes, and universe i starts like a run with seed + i.
 * The program takes the steps, keeps the cells, and takes further steps one by one. The period of a universe is the
 * first of these at which its cells are those that were kept. It writes soups.csv and soups.svg. */
#include <engine/engine.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_SEED = 1, LONGEST = 256, BARS = 40 }; /* a glider on a torus of 64 x 64 has period 256 */

struct soups {
    uint64_t count, cells;         /* cells of a universe */
    uint8_t *kept, *now;           /* the cells of all universes: those that were kept, and the present ones */
    uint32_t *population, *period; /* of each; period 0: it was not found */
};

static void print_message(void *user, int level, const char *source, const char *text)
{
    (void) user, (void) level;
    fprintf(stderr, "%s: %s\n", source, text);
}

static int configure(struct engine_config *config, unsigned long long count, unsigned long long side,
                     struct engine_error *error)
{
    char batch[64], size[64], seed[64];
    snprintf(batch, sizeof batch, "grid.batch=%llu", count);
    snprintf(size, sizeof size, "grid.size=%llu %llu", side, side);
    snprintf(seed, sizeof seed, "init.seed=%d", FIRST_SEED);
    const char *const assignments[] = {"run.plugin=life2d-bit", "init.source=random", batch, size, seed};
    int status = 0;
    for (size_t i = 0; status == 0 && i < sizeof assignments / sizeof assignments[0]; i++)
        status = engine_config_set(config, assignments[i], error);
    return status;
}

/* ---- Periods ---------------------------------------------------------------------------------------------------- */

static uint32_t live_cells(const uint8_t *cells, uint64_t count)
{
    uint32_t live = 0;
    for (uint64_t i = 0; i < count; i++)
        live += cells[i];
    return live;
}

/* Compares the universes whose period is not known yet with what was kept. Returns how many remain. */
static uint64_t find_periods(struct soups *soups, uint32_t steps)
{
    uint64_t unknown = 0;
    for (uint64_t u = 0; u < soups->count; u++) {
        const uint64_t first = u * soups->cells;
        if (soups->period[u] == 0 && memcmp(soups->now + first, soups->kept + first, soups->cells) == 0)
            soups->period[u] = steps;
        unknown += soups->period[u] == 0;
    }
    return unknown;
}

static int settle(struct engine_run *run, struct soups *soups, uint64_t steps, struct engine_error *error)
{
    const uint64_t bytes = soups->count * soups->cells;
    uint64_t unknown = soups->count;
    uint32_t field;
    if (engine_run_field(run, "cells", &field, error) != 0 || engine_run_advance(run, steps, NULL, NULL, error) != 0 ||
        engine_run_read(run, field, NULL, soups->kept, bytes, error) != 0)
        return error->status;
    for (uint64_t u = 0; u < soups->count; u++)
        soups->population[u] = live_cells(soups->kept + u * soups->cells, soups->cells);
    for (uint32_t taken = 1; taken <= LONGEST && unknown > 0; taken++) {
        if (engine_run_advance(run, 1, NULL, NULL, error) != 0 ||
            engine_run_read(run, field, NULL, soups->now, bytes, error) != 0)
            return error->status;
        unknown = find_periods(soups, taken);
    }
    return 0;
}

/* ---- Results ---------------------------------------------------------------------------------------------------- */

static void print_periods(const struct soups *soups)
{
    for (uint32_t period = 0; period <= LONGEST; period++) {
        uint64_t count = 0;
        for (uint64_t u = 0; u < soups->count; u++)
            count += soups->period[u] == period;
        if (count > 0 && period > 0)
            printf("period %3u  %llu\n", period, (unsigned long long) count);
        else if (count > 0)
            printf("others      %llu: not settled, or a period over %d\n", (unsigned long long) count, LONGEST);
    }
}

static void write_table(FILE *to, const struct soups *soups)
{
    fprintf(to, "seed,population,period\n");
    for (uint64_t u = 0; u < soups->count; u++)
        fprintf(to, "%llu,%u,%u\n", (unsigned long long) u + FIRST_SEED, soups->population[u], soups->period[u]);
}

static void write_histogram(FILE *to, const struct soups *soups)
{
    uint64_t bars[BARS] = {0}, highest = 1;
    uint32_t most = 1;
    for (uint64_t u = 0; u < soups->count; u++)
        most = soups->population[u] > most ? soups->population[u] : most;
    const uint32_t width = most / BARS + 1; /* populations of a bar */
    for (uint64_t u = 0; u < soups->count; u++) {
        uint64_t *bar = &bars[soups->population[u] / width];
        highest = ++*bar > highest ? *bar : highest;
    }
    fprintf(to, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"480\" height=\"260\" font-family=\"sans-serif\" "
                "font-size=\"11\">\n<rect width=\"480\" height=\"260\" fill=\"white\"/>\n");
    for (int i = 0; i < BARS; i++) {
        const double height = 200.0 * (double) bars[i] / (double) highest;
        fprintf(to,
                "<rect x=\"%d\" y=\"%.1f\" width=\"10\" height=\"%.1f\" fill=\"#4472c4\"><title>%u to %u: "
                "%llu</title></rect>\n",
                50 + 10 * i, 220 - height, height, (uint32_t) i * width, (uint32_t) (i + 1) * width - 1,
                (unsigned long long) bars[i]);
    }
    fprintf(to,
            "<text x=\"46\" y=\"24\" text-anchor=\"end\">%llu</text>\n<text x=\"46\" y=\"220\" "
            "text-anchor=\"end\">0</text>\n",
            (unsigned long long) highest);
    fprintf(to, "<text x=\"50\" y=\"234\">0</text>\n<text x=\"450\" y=\"234\" text-anchor=\"end\">%u</text>\n",
            BARS * width);
    fprintf(to, "<text x=\"250\" y=\"252\" text-anchor=\"middle\">live cells of %llu soups</text>\n</svg>\n",
            (unsigned long long) soups->count);
}

static int write_file(const char *path, void (*write)(FILE *, const struct soups *), const struct soups *soups,
                      struct engine_error *error)
{
    FILE *to = fopen(path, "w");
    int failed = !to;
    if (to) {
        write(to, soups);
        failed = ferror(to);
        failed = fclose(to) != 0 || failed;
    }
    if (failed) {
        error->status = ENGINE_STATUS_OUTPUT;
        snprintf(error->text, sizeof error->text, "%s: cannot be written", path);
    }
    return failed ? error->status : 0;
}

/* ---- The program ------------------------------------------------------------------------------------------------ */

static int run_soups(const struct engine_config *config, struct soups *soups, uint64_t steps,
                     struct engine_error *error)
{
    struct engine_run *run;
    if (engine_run_plan(config, &run, error) != 0)
        return error->status;
    int status = engine_run_start(run, error);
    if (status == 0)
        status = settle(run, soups, steps, error);
    engine_run_close(run);
    return status;
}

static unsigned long long number(int count, char **arguments, int index, unsigned long long otherwise)
{
    return index < count ? strtoull(arguments[index], NULL, 10) : otherwise;
}

int main(int count, char **arguments)
{
    const struct engine_hooks hooks = {.size = sizeof hooks, .message = print_message};
    const unsigned long long universes = number(count, arguments, 1, 1000), side = number(count, arguments, 2, 64);
    struct engine_context *context = NULL;
    struct engine_config *config = NULL;
    struct engine_error error = {0, ""};
    int status = engine_open(&hooks, &context, &error);
    if (status == 0)
        status = engine_config_open(context, NULL, &config, &error);
    if (status == 0)
        status = configure(config, universes, side, &error);
    struct soups soups = {universes, side * side, NULL, NULL, NULL, NULL};
    soups.kept = calloc(universes, soups.cells), soups.now = calloc(universes, soups.cells);
    soups.population = calloc(universes, sizeof *soups.population);
    soups.period = calloc(universes, sizeof *soups.period);
    if (status == 0 && (!soups.kept || !soups.now || !soups.population || !soups.period))
        status = 1, snprintf(error.text, sizeof error.text, "there is no memory for so many soups");
    if (status == 0 && (status = run_soups(config, &soups, number(count, arguments, 3, 6000), &error)) == 0) {
        print_periods(&soups);
        status = write_file("soups.csv", write_table, &soups, &error);
        if (status == 0)
            status = write_file("soups.svg", write_histogram, &soups, &error);
    }
    if (status != 0)
        fprintf(stderr, "soups: %s\n", error.text);
    free(soups.kept), free(soups.now), free(soups.population), free(soups.period);
    engine_config_close(config);
    engine_close(context);
    return status;
}
