/* Runs simulations inside a program with libengine, whose header is engine/engine.h.
 *
 * A glider on a torus of 64 x 48 cells moves by one cell along both axes every 4 steps. The least common multiple of 64
 * and 48 is 192, so the glider is back where it began after 4 * 192 steps. The program writes a glider into a run,
 * takes these steps, and compares the hashes. A second run in the same process continues from a snapshot of the
 * first. */
#include <engine/engine.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 64, HEIGHT = 48, STEPS = 4 * 192 };

/* The library and its plugins print nothing. This function receives their messages. */
static void print_message(void *user, int level, const char *source, const char *text)
{
    (void) user, (void) level;
    fprintf(stderr, "%s: %s\n", source, text);
}

/* Makes a configuration without a file. */
static int configure(struct engine_context *context, struct engine_config **config, struct engine_error *error)
{
    static const char *const assignments[] = {"run.plugin=life2d-bit", "life2d-bit.rule=B3/S23", "grid.size=64 48"};
    int status = engine_config_open(context, NULL, config, error);
    for (size_t i = 0; status == 0 && i < sizeof assignments / sizeof assignments[0]; i++)
        status = engine_config_set(*config, assignments[i], error);
    return status;
}

/* Writes a glider into the state. */
static int put_glider(struct engine_run *run, uint32_t field, struct engine_error *error)
{
    static const uint8_t glider[3][3] = {{0, 1, 0}, {0, 0, 1}, {1, 1, 1}};
    const struct engine_box box = {{10, 20, 0}, {13, 23, 1}}; /* begin and end along x, y, z */
    return engine_run_write(run, field, &box, glider, sizeof glider, error);
}

/* Reads all cells as bytes, for any layout of the implementation, and counts the live cells. */
static int count_cells(const struct engine_run *run, uint32_t field, int *count, struct engine_error *error)
{
    static uint8_t cells[HEIGHT][WIDTH];
    const int status = engine_run_read(run, field, NULL, cells, sizeof cells, error);
    *count = 0;
    for (size_t i = 0; status == 0 && i < sizeof cells; i++)
        *count += cells[i / WIDTH][i % WIDTH];
    return status;
}

static int differ(struct engine_error *error)
{
    *error = (struct engine_error){ENGINE_STATUS_UNVERIFIED, "the states differ"};
    return error->status;
}

/* Sends the glider round the torus. */
static int go_round(struct engine_run *run, struct engine_error *error)
{
    char before[ENGINE_HASH_SIZE], half[ENGINE_HASH_SIZE], after[ENGINE_HASH_SIZE];
    uint32_t cells;
    int count;
    if (engine_run_field(run, "cells", &cells, error) != 0 || put_glider(run, cells, error) != 0 ||
        engine_run_hash(run, before, error) != 0 || engine_run_advance(run, STEPS / 2, NULL, NULL, error) != 0 ||
        engine_run_hash(run, half, error) != 0 || engine_run_save(run, "half.snapshot", error) != 0 ||
        engine_run_advance(run, STEPS / 2, NULL, NULL, error) != 0 || engine_run_hash(run, after, error) != 0 ||
        count_cells(run, cells, &count, error) != 0)
        return error->status;
    struct engine_plugin_info plugin = {.size = sizeof plugin};
    engine_run_plugin(run, &plugin);
    printf("%s/%s stands at step %llu with %d cells: %s\n", plugin.about->name, engine_run_impl(run)->name,
           (unsigned long long) engine_run_step(run), count, after);
    const int right = count == 5 && strcmp(before, half) != 0 && strcmp(before, after) == 0;
    printf("the glider is %sback where it began\n", right ? "" : "not ");
    return right ? 0 : differ(error);
}

/* Opens a second run, restores the snapshot of the first, and takes the remaining steps in shorter calls. */
static int follow(const struct engine_config *config, const struct engine_run *first, struct engine_error *error)
{
    struct engine_run *second;
    char its[ENGINE_HASH_SIZE] = "", own[ENGINE_HASH_SIZE] = "-";
    if (engine_run_plan(config, &second, error) != 0)
        return error->status;
    int status = engine_run_start(second, error);
    if (status == 0)
        status = engine_run_restore(second, "half.snapshot", error);
    for (uint64_t taken = 0; status == 0 && taken < STEPS / 2; taken += 32)
        status = engine_run_advance(second, 32, NULL, NULL, error);
    if (status == 0 && (status = engine_run_hash(first, its, error)) == 0)
        status = engine_run_hash(second, own, error);
    engine_run_close(second);
    if (status != 0)
        return status;
    printf("a second run from the snapshot %s\n", strcmp(its, own) == 0 ? "agrees" : "does not agree");
    return strcmp(its, own) == 0 ? 0 : differ(error);
}

int main(void)
{
    const struct engine_hooks hooks = {.size = sizeof hooks, .message = print_message};
    struct engine_context *context = NULL;
    struct engine_config *config = NULL;
    struct engine_run *run = NULL;
    struct engine_error error = {0, ""};
    if (engine_open(&hooks, &context, &error) != 0 || configure(context, &config, &error) != 0 ||
        engine_run_plan(config, &run, &error) != 0 || engine_run_start(run, &error) != 0 ||
        go_round(run, &error) != 0 || follow(config, run, &error) != 0)
        fprintf(stderr, "embed: %s\n", error.text);
    engine_run_close(run);
    engine_config_close(config);
    engine_close(context);
    return error.status;
}
