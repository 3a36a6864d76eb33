/* Which grids may be divided or lie in tiles; and radii above 50: squares, diamonds and circles, whose rows are whole. The reach of the field stays that of smaller
 * rules, and the layout has deeper ghosts. Counts have 32 bits. */
#include "ltl.h"

#include <stdbool.h>

enum { CHUNK = 512 /* cells of a row that are counted together */ };

/* Of a triangular grid, cells of the same place in each tile must point the same way, and so must the cells of a margin
 * beyond the end of the grid. */
static bool splits_triangles(const struct engine_plan *plan)
{
    const uint64_t *extent = engine_field_shape(plan, LTL_CELLS)->extent, *whole = plan->part.whole;
    const bool tiles = plan->part.count <= 1 && (extent[0] != whole[0] || extent[1] != whole[1]);
    return (plan->part.count > 1 && whole[1] % 2 != 0) || (tiles && (extent[0] | extent[1]) % 2 != 0);
}

static int refuse_parts(const struct engine_host *host, const struct engine_plan *plan, uint32_t *radius)
{
    struct ltl_rule rule;
    ltl_plan_rule(plan, &rule);
    *radius = rule.radius;
    if (rule.triangular && splits_triangles(plan))
        return ENGINE_FAIL(host, ENGINE_UNSUPPORTED,
                           "a triangular grid can be divided if its height is even, and lie in tiles of an even side");
    /* A small grid of tiles begins its margin before the large one. */
    const bool tiles = plan->part.offset[0] != 0 || plan->part.offset[1] != 0;
    if (rule.radius <= LTL_RADIUS_MAX || (plan->part.count <= 1 && !tiles))
        return 0;
    return ENGINE_FAIL(host, ENGINE_UNSUPPORTED,
                       "a grid with a rule of radius %u cannot be divided or lie in tiles; radii up to %d can",
                       rule.radius, LTL_RADIUS_MAX);
}

int ltl_probe(const struct engine_host *host, const struct engine_plan *plan)
{
    uint32_t radius;
    return refuse_parts(host, plan, &radius);
}

int ltl_cuda_probe(const struct engine_host *host, const struct engine_plan *plan)
{
    uint32_t radius;
    const int status = refuse_parts(host, plan, &radius);
    if (status != 0 || radius <= LTL_RADIUS_MAX)
        return status;
    return ENGINE_FAIL(host, ENGINE_UNSUPPORTED, "the radius is %u; cuda takes radii up to %d, and cpu up to %d",
                       radius, LTL_RADIUS_MAX, LTL_WIDE_MAX);
}

int ltl_serial_layout(const struct engine_host *host, const struct engine_plan *plan, uint32_t field,
                      struct engine_layout *layout)
{
    (void) host, (void) field;
    struct ltl_rule rule;
    ltl_plan_rule(plan, &rule);
    if (rule.radius > LTL_RADIUS_MAX)
        layout->ghost[0] = layout->ghost[1] = rule.radius;
    return 0;
}

/* Writes the next states of cells that have these counts, which include the cells themselves. */
static void finish(const struct ltl_rule *rule, const int32_t *counts, const uint8_t *now, uint8_t *next, int64_t cells)
{
    for (int64_t i = 0; i < cells; i++) {
        const int32_t itself = now[i] == LTL_ALIVE && !rule->middle;
        const uint32_t holds = now[i] > LTL_ALIVE ? 0 : ltl_holds(rule->counts[now[i]], counts[i] - itself);
        next[i] = (uint8_t) ltl_next(now[i], holds, rule->states);
    }
}

/* ---- The reference: a window moves along each row of the neighbourhood --------------------------------------------- */

static void slide(const uint8_t *row, int64_t half, int32_t *counts, int64_t cells)
{
    int32_t live = 0;
    for (int64_t x = -half; x < half; x++)
        live += row[x] == LTL_ALIVE;
    for (int64_t x = 0; x < cells; x++) {
        live += row[x + half] == LTL_ALIVE;
        counts[x] += live;
        live -= row[x - half] == LTL_ALIVE;
    }
}

void ltl_wide_serial(const struct ltl_rule *rule, const struct engine_call *call)
{
    const struct engine_buffer *cells = engine_field_buffer(call, LTL_CELLS);
    const int64_t width = (int64_t) cells->shape->extent[0], height = (int64_t) cells->shape->extent[1];
    const int radius = (int) rule->radius;
    for (int64_t y = 0; y < height; y++)
        for (int64_t x = 0; x < width; x += CHUNK) {
            const int64_t n = width - x < CHUNK ? width - x : CHUNK;
            int32_t counts[CHUNK] = {0};
            for (int dy = -radius; dy <= radius; dy++)
                slide((const uint8_t *) engine_row(cells, call->current, y + dy, 0) + x, ltl_half(rule, dy), counts, n);
            finish(rule, counts, (const uint8_t *) engine_row(cells, call->current, y, 0) + x,
                   (uint8_t *) engine_row(cells, call->result, y, 0) + x, n);
        }
}

/* ---- All threads: differences of running sums ----------------------------------------------------------------------- */

/* The running sums of row y begin at sums + (radius + y) * pitch, with one of no cells. */
struct ltl_wide {
    struct ltl_rule rule;
    int64_t half[2 * LTL_WIDE_MAX + 1]; /* of each row of the neighbourhood */
    int64_t pitch;
    int32_t *sums;
};

struct job {
    const struct ltl_wide *wide;
    const struct engine_call *call;
    const struct engine_buffer *cells;
    int64_t width;
};

struct ltl_wide *ltl_wide_create(const struct engine_call *call, const struct ltl_rule *rule)
{
    const uint64_t *extent = engine_field_shape(call->plan, LTL_CELLS)->extent, margin = 2 * (uint64_t) rule->radius;
    struct ltl_wide *wide = call->host->scratch(call->host, sizeof *wide, ENGINE_HOST_MEMORY);
    if (!wide)
        return NULL;
    const int radius = (int) rule->radius;
    wide->rule = *rule;
    for (int dy = -radius; dy <= radius; dy++)
        wide->half[radius + dy] = ltl_half(rule, dy);
    wide->pitch = (int64_t) (extent[0] + margin + 1);
    wide->sums = call->host->scratch(call->host, (uint64_t) wide->pitch * (extent[1] + margin) * sizeof *wide->sums,
                                     ENGINE_HOST_MEMORY);
    return wide->sums ? wide : NULL;
}

static void sum_row(void *argument, uint64_t number)
{
    const struct job *job = argument;
    const struct ltl_wide *wide = job->wide;
    const int64_t radius = wide->rule.radius;
    const uint8_t *row = engine_row(job->cells, job->call->current, (int64_t) number - radius, 0);
    int32_t *sums = wide->sums + (int64_t) number * wide->pitch, live = 0;
    for (int64_t i = 0; i < wide->pitch; i++) {
        sums[i] = live;
        live += i + 1 < wide->pitch && row[i - radius] == LTL_ALIVE;
    }
}

static void count_row(void *argument, uint64_t y)
{
    const struct job *job = argument;
    const struct ltl_wide *wide = job->wide;
    const int64_t radius = wide->rule.radius;
    const uint8_t *now = engine_row(job->cells, job->call->current, (int64_t) y, 0);
    uint8_t *next = engine_row(job->cells, job->call->result, (int64_t) y, 0);
    for (int64_t x = 0; x < job->width; x += CHUNK) {
        const int64_t n = job->width - x < CHUNK ? job->width - x : CHUNK;
        int32_t counts[CHUNK] = {0};
        for (int64_t k = 0; k <= 2 * radius; k++) {
            const int32_t *sums = wide->sums + ((int64_t) y + k) * wide->pitch + radius + x;
            const int32_t *first = sums - wide->half[k], *last = sums + wide->half[k] + 1;
            for (int64_t i = 0; i < n; i++)
                counts[i] += last[i] - first[i];
        }
        finish(&wide->rule, counts, now + x, next + x, n);
    }
}

void ltl_wide_advance(const struct ltl_wide *wide, const struct engine_call *call)
{
    const struct engine_buffer *cells = engine_field_buffer(call, LTL_CELLS);
    struct job job = {wide, call, cells, (int64_t) cells->shape->extent[0]};
    const uint64_t height = cells->shape->extent[1];
    call->host->parallel(call->host, height + 2 * (uint64_t) wide->rule.radius, sum_row, &job);
    call->host->parallel(call->host, height, count_row, &job);
}
