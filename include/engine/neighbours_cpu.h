/* engine/neighbours_cpu.h - makes an implementation for the CPU of a rule that is written with engine/neighbours.h.
 *
 * Include it in one .c file, behind the rule. It defines engine_neighbours_cpu_probe, _create, _advance and _measure.
 *
 * Particles are sorted by cells, so particles that are near in space are near in memory. The list of a particle holds
 * all others within reach and skin. It is good until a particle has moved by half the skin; then all are sorted again.
 * The lists of a block of particles share a pool. A particle whose list does not fit meets all particles of the cells
 * around it instead.
 *
 * Each part of a divided run has all particles, in the same order. It makes the lists of some blocks of particles, and
 * computes the sums of these particles. Then the parts exchange the sums, and each part moves all particles. */
#ifndef ENGINE_NEIGHBOURS_CPU_H
#define ENGINE_NEIGHBOURS_CPU_H

#include <engine/neighbours.h>

enum { ENGINE_NEIGHBOURS_BLOCK = 128 }; /* particles of a task */

/* The particles, sorted, and what a step needs of them. */
struct engine_neighbours_instance {
    struct engine_space space;
    int open, loaded;
    uint32_t blocks, own, own_end; /* own … own_end - 1: the blocks whose lists this part has */
    struct engine_particle *now, *spare;
    struct engine_sums *sums;
    struct engine_seen *seen, *spare_seen;
    uint32_t *id, *spare_id;            /* the number of each particle in the fields */
    uint32_t (*built)[NEIGHBOURS_AXES]; /* the places for which lists were made */
    uint32_t *cell, *first;             /* first[c]: the first particle of cell c */
    uint32_t *begin, *length, *pools;   /* the list of each particle, in the pool of its block */
    uint32_t pool_size;
    uint8_t *moved; /* of each block: a particle has moved too far for its list */
    uint64_t *lost; /* of each block: the number of a particle without a place, or UINT64_MAX */
    double *tallies;
};

struct engine_neighbours_job {
    struct engine_neighbours_instance *own;
    const struct engine_call *call;
    struct rule rule;
    struct engine_neighbours_fields fields;
    uint64_t step;
};

static inline uint32_t engine_neighbours_end(const struct engine_neighbours_instance *own, uint64_t block)
{
    const uint64_t end = (block + 1) * ENGINE_NEIGHBOURS_BLOCK;
    return (uint32_t) (end < own->space.count ? end : own->space.count);
}

#define ENGINE_NEIGHBOURS_EACH(own, block, i) \
    for (uint32_t i = (uint32_t) (block) *ENGINE_NEIGHBOURS_BLOCK; i < engine_neighbours_end(own, block); i++)

/* Calls a task for each block of this part, with a number from 0 on. */
static inline void engine_neighbours_run_own(struct engine_neighbours_job *job,
                                             void (*task)(void *argument, uint64_t number))
{
    job->call->host->parallel(job->call->host, job->own->own_end - job->own->own, task, job);
}

static inline void engine_neighbours_run(struct engine_neighbours_job *job,
                                         void (*task)(void *argument, uint64_t block))
{
    job->call->host->parallel(job->call->host, job->own->blocks, task, job);
}

/* ---- Lists ------------------------------------------------------------------------------------------------------- */

/* Sets the place of a particle, and finds out whether it is too far from where its list was made. */
static inline void engine_neighbours_place(struct engine_neighbours_instance *own, uint64_t block, uint32_t i)
{
    float way[NEIGHBOURS_AXES];
    if (!engine_particle_has_place(own->now + i)) {
        own->lost[block] = own->id[i] < own->lost[block] ? own->id[i] : own->lost[block];
        return;
    }
    own->seen[i] = engine_seen_of(&own->space, own->now + i);
    if (!(engine_apart(&own->space, own->seen[i].place, own->built[i], way, own->open) <= own->space.moved2))
        own->moved[block] = 1;
}

/* Divides open axes where the particles are. */
static void engine_neighbours_divide(struct engine_neighbours_instance *own)
{
    double low[3] = {0, 0, 0}, high[3] = {0, 0, 0};
    for (uint32_t i = 0; own->open && i < own->space.count; i++)
        for (int c = 0; c < NEIGHBOURS_AXES; c++) {
            const double x = own->space.edge[c] > 0 ? 0 : (double) engine_place_float(own->seen[i].place[c]);
            low[c] = i == 0 || x < low[c] ? x : low[c];
            high[c] = i == 0 || x > high[c] ? x : high[c];
        }
    if (own->open)
        engine_space_divide(&own->space, low, high);
}

/* Sorts all particles by cells: counts those of each cell, then places each behind those of the cells before. */
static void engine_neighbours_sort(struct engine_neighbours_instance *own)
{
    const struct engine_space *space = &own->space;
    engine_neighbours_divide(own);
    const uint32_t all = space->cells[0] * space->cells[1] * (NEIGHBOURS_AXES == 3 ? space->cells[2] : 1);
    memset(own->first, 0, (all + 2) * sizeof *own->first);
    for (uint32_t i = 0; i < space->count; i++) {
        own->cell[i] = engine_cell_of(space, own->seen[i].place);
        own->first[own->cell[i] + 2]++;
    }
    for (uint32_t c = 2; c < all + 2; c++)
        own->first[c] += own->first[c - 1];
    for (uint32_t i = 0; i < space->count; i++) {
        const uint32_t to = own->first[own->cell[i] + 1]++;
        own->spare[to] = own->now[i];
        own->spare_seen[to] = own->seen[i];
        own->spare_id[to] = own->id[i];
        memcpy(own->built[to], own->seen[i].place, sizeof own->built[to]);
    }
#define ENGINE_NEIGHBOURS_SWAP(type, a, b) \
    { \
        type *const was = (a); \
        (a) = (b); \
        (b) = was; \
    }
    ENGINE_NEIGHBOURS_SWAP(struct engine_particle, own->now, own->spare)
    ENGINE_NEIGHBOURS_SWAP(struct engine_seen, own->seen, own->spare_seen)
    ENGINE_NEIGHBOURS_SWAP(uint32_t, own->id, own->spare_id)
}

/* Goes through the particles j of the cells near particle i where its list was made. */
#define ENGINE_NEIGHBOURS_CELLS(own, i, j) \
    uint32_t at[NEIGHBOURS_AXES], first[2], last[2]; \
    engine_cells_of(&(own)->space, (own)->built[i], at); \
    const int columns = engine_columns_near(&(own)->space, at[0], first, last); \
    for (int r = 0; r < ENGINE_NEIGHBOURS_ROWS * columns; r++) \
        for (int64_t row = engine_row_near(&(own)->space, at, r / columns); row >= 0; row = -1) \
            for (uint32_t j = (own)->first[row + first[r % columns]]; j < (own)->first[row + last[r % columns]]; j++)

/* Makes the list of a particle behind `used` entries of its pool. Returns its length, or ENGINE_NEIGHBOURS_NO_LIST. */
static inline uint32_t engine_neighbours_list(const struct engine_neighbours_instance *own, uint32_t i, uint32_t *pool,
                                              uint32_t used, int open)
{
    uint32_t length = 0;
    float d[NEIGHBOURS_AXES];
    ENGINE_NEIGHBOURS_CELLS(own, i, j)
    {
        if (used + length == own->pool_size)
            return ENGINE_NEIGHBOURS_NO_LIST;
        const float square = engine_apart(&own->space, own->seen[i].place, own->seen[j].place, d, open);
        pool[used + length] = j;
        length += (uint32_t) (square < own->space.list2) & (uint32_t) (j != i);
    }
    return length;
}

static void engine_neighbours_list_task(void *argument, uint64_t number)
{
    const struct engine_neighbours_instance *own = ((struct engine_neighbours_job *) argument)->own;
    const uint64_t block = own->own + number;
    uint32_t *pool = own->pools + block * own->pool_size, used = 0;
    ENGINE_NEIGHBOURS_EACH(own, block, i)
    {
        own->begin[i] = used;
        own->length[i] =
            own->open ? engine_neighbours_list(own, i, pool, used, 1) : engine_neighbours_list(own, i, pool, used, 0);
        used += own->length[i] == ENGINE_NEIGHBOURS_NO_LIST ? 0 : own->length[i];
    }
}

/* ---- Sums -------------------------------------------------------------------------------------------------------- */

static inline void engine_neighbours_pair(const struct engine_neighbours_job *job, uint32_t i, uint32_t j,
                                          struct engine_sums *sums, int open)
{
    const struct engine_neighbours_instance *own = job->own;
    float d[NEIGHBOURS_AXES];
    const float square = engine_apart(&own->space, own->seen[i].place, own->seen[j].place, d, open);
    if (square < own->space.reach2)
#ifdef NEIGHBOURS_CENTRAL
        engine_add_fixed(sums->NEIGHBOURS_CENTRAL, factor_of(&job->rule, own->seen + i, own->seen + j, square), d);
#else
        meet(&job->rule, own->seen + i, own->seen + j, d, square, sums);
#endif
}

static inline void engine_neighbours_sum(const struct engine_neighbours_job *job, uint32_t i, const uint32_t *pool,
                                         int open)
{
    const struct engine_neighbours_instance *own = job->own;
    struct engine_sums sums;
    memset(&sums, 0, sizeof sums);
    if (own->length[i] != ENGINE_NEIGHBOURS_NO_LIST) {
        for (uint32_t k = 0; k < own->length[i]; k++)
            engine_neighbours_pair(job, i, pool[own->begin[i] + k], &sums, open);
    } else {
        ENGINE_NEIGHBOURS_CELLS(own, i, j)
        {
            if (j != i)
                engine_neighbours_pair(job, i, j, &sums, open);
        }
    }
    own->sums[i] = sums;
}

static void engine_neighbours_sum_task(void *argument, uint64_t number)
{
    const struct engine_neighbours_job *job = (const struct engine_neighbours_job *) argument;
    const uint64_t block = job->own->own + number;
    const uint32_t *pool = job->own->pools + block * job->own->pool_size;
    ENGINE_NEIGHBOURS_EACH(job->own, block, i)
    {
        if (job->own->open)
            engine_neighbours_sum(job, i, pool, 1);
        else
            engine_neighbours_sum(job, i, pool, 0);
    }
}

static int engine_neighbours_moved(const struct engine_neighbours_instance *own)
{
    int moved = 0;
    for (uint32_t block = 0; block < own->blocks; block++)
        moved |= own->moved[block];
    return moved;
}

/* Sums at the places of the particles, with new lists if a particle has moved too far. Returns what the service `team`
 * returns. */
static int engine_neighbours_sums(struct engine_neighbours_job *job)
{
    const uint64_t size = sizeof(struct engine_sums);
    if (engine_neighbours_moved(job->own)) {
        engine_neighbours_sort(job->own);
        memset(job->own->moved, 0, job->own->blocks);
        engine_neighbours_run_own(job, engine_neighbours_list_task);
    }
    engine_neighbours_run_own(job, engine_neighbours_sum_task);
    if (engine_neighbours_part(job->call->plan).count == 1)
        return 0;
    return engine_host_team(job->call->host)
        ->gather(job->call, job->own->sums, job->own->space.count * size, ENGINE_NEIGHBOURS_BLOCK * size);
}

/* ---- Steps ------------------------------------------------------------------------------------------------------- */

#ifdef NEIGHBOURS_BEGIN
static void engine_neighbours_begin_task(void *argument, uint64_t block)
{
    const struct engine_neighbours_job *job = (const struct engine_neighbours_job *) argument;
    struct engine_neighbours_instance *own = job->own;
    ENGINE_NEIGHBOURS_EACH(own, block, i)
    {
        begin(&job->rule, own->now + i, own->sums + i, own->id[i], job->step);
        engine_neighbours_place(own, block, i);
    }
}
#endif

static void engine_neighbours_move_task(void *argument, uint64_t block)
{
    const struct engine_neighbours_job *job = (const struct engine_neighbours_job *) argument;
    struct engine_neighbours_instance *own = job->own;
    ENGINE_NEIGHBOURS_EACH(own, block, i)
    {
        move(&job->rule, own->now + i, own->sums + i, own->id[i], job->step);
#ifndef NEIGHBOURS_BEGIN
        engine_neighbours_place(own, block, i);
#endif
    }
}

static uint64_t engine_neighbours_first_lost(const struct engine_neighbours_instance *own)
{
    uint64_t lost = UINT64_MAX;
    for (uint32_t block = 0; block < own->blocks; block++)
        lost = own->lost[block] < lost ? own->lost[block] : lost;
    return lost;
}

static int engine_neighbours_step(struct engine_neighbours_job *job)
{
    int status = 0;
#ifdef NEIGHBOURS_BEGIN
    engine_neighbours_run(job, engine_neighbours_begin_task);
    if (engine_neighbours_first_lost(job->own) == UINT64_MAX)
        status = engine_neighbours_sums(job);
#else
    status = engine_neighbours_sums(job);
#endif
    if (status != 0)
        return status;
    engine_neighbours_run(job, engine_neighbours_move_task);
    const uint64_t lost = engine_neighbours_first_lost(job->own);
    return lost == UINT64_MAX ? 0 : engine_neighbours_lost(job->call->host, &job->step, lost);
}

static void engine_neighbours_load_task(void *argument, uint64_t block)
{
    const struct engine_neighbours_job *job = (const struct engine_neighbours_job *) argument;
    struct engine_neighbours_instance *own = job->own;
    own->lost[block] = UINT64_MAX;
    ENGINE_NEIGHBOURS_EACH(own, block, i)
    {
        own->now[i] = engine_particle_get(&job->fields, i);
        own->id[i] = i;
        engine_neighbours_place(own, block, i);
    }
    own->moved[block] = 1;
}

/* Reads the particles from the fields. */
static int engine_neighbours_load(struct engine_neighbours_job *job)
{
    struct engine_neighbours_instance *own = job->own;
    const struct engine_call *call = job->call;
    int status = engine_space_set(&own->space, call->host, call->plan->box, (double) job->rule.reach,
                                  (double) NEIGHBOURS_SKIN(&job->rule), own->space.room);
    if (status != 0)
        return status;
    own->open = engine_space_open(&own->space);
    engine_neighbours_run(job, engine_neighbours_load_task);
    const uint64_t lost = engine_neighbours_first_lost(own);
    if (lost != UINT64_MAX)
        return engine_neighbours_lost(call->host, NULL, lost);
#ifdef NEIGHBOURS_BEGIN
    status = engine_neighbours_sums(job);
#endif
    own->loaded = status == 0;
    return status;
}

static void engine_neighbours_store_task(void *argument, uint64_t block)
{
    const struct engine_neighbours_job *job = (const struct engine_neighbours_job *) argument;
    ENGINE_NEIGHBOURS_EACH(job->own, block, i)
    engine_particle_put(&job->fields, job->own->id[i], job->own->now + i);
}

static struct engine_neighbours_job engine_neighbours_job_of(void *self, const struct engine_call *call, uint32_t which)
{
    const struct engine_neighbours_job job = {(struct engine_neighbours_instance *) self, call, rule_of(call),
                                              engine_neighbours_fields_of(call, which), call->first_step};
    return job;
}

int engine_neighbours_cpu_advance(void *self, struct engine_call *call)
{
    struct engine_neighbours_job job = engine_neighbours_job_of(self, call, call->current);
    int status = 0;
    if (!job.own->loaded || call->flags & ENGINE_CALL_FRESH)
        status = engine_neighbours_load(&job);
    for (; status == 0 && job.step < call->first_step + call->steps; job.step++)
        status = engine_neighbours_step(&job);
    if (status != 0) {
        job.own->loaded = 0;
        return status;
    }
    job.fields = engine_neighbours_fields_of(call, call->result);
    engine_neighbours_run(&job, engine_neighbours_store_task);
    return 0;
}

/* ---- Metrics ----------------------------------------------------------------------------------------------------- */

#if NEIGHBOURS_METRICS > 0
static void engine_neighbours_tally_task(void *argument, uint64_t block)
{
    const struct engine_neighbours_job *job = (const struct engine_neighbours_job *) argument;
    double lanes[32][NEIGHBOURS_METRICS] = {{0}};
    for (uint64_t i = block * ENGINE_TALLY_BLOCK; i < (block + 1) * ENGINE_TALLY_BLOCK && i < job->own->space.count;
         i++) {
        const struct engine_particle particle = engine_particle_get(&job->fields, i);
        tally(&job->rule, &particle, lanes[i % 32]);
    }
    for (int apart = 16; apart > 0; apart /= 2)
        for (int lane = 0; lane < apart; lane++)
            for (int k = 0; k < NEIGHBOURS_METRICS; k++)
                lanes[lane][k] += lanes[lane + apart][k];
    memcpy(job->own->tallies + block * NEIGHBOURS_METRICS, lanes[0], sizeof lanes[0]);
}
#endif

int engine_neighbours_cpu_measure(void *self, const struct engine_call *call, double *values)
{
#if NEIGHBOURS_METRICS > 0
    struct engine_neighbours_job job = engine_neighbours_job_of(self, call, call->current);
    const uint64_t blocks = (job.own->space.count + ENGINE_TALLY_BLOCK - 1) / ENGINE_TALLY_BLOCK;
    call->host->parallel(call->host, blocks, engine_neighbours_tally_task, &job);
    for (int k = 0; k < NEIGHBOURS_METRICS; k++)
        values[k] = 0;
    for (uint64_t i = 0; i < blocks * NEIGHBOURS_METRICS; i++)
        values[i % NEIGHBOURS_METRICS] += job.own->tallies[i];
#else
    (void) self, (void) call, (void) values;
#endif
    return 0;
}

/* ---- The implementation ------------------------------------------------------------------------------------------ */

int engine_neighbours_cpu_probe(const struct engine_host *host, const struct engine_plan *plan)
{
    return engine_neighbours_probe(host, plan);
}

static int engine_neighbours_allocate(struct engine_neighbours_instance *own, const struct engine_call *call)
{
    const struct engine_host *host = call->host;
    const struct engine_part part = engine_neighbours_part(call->plan);
    const uint64_t count = own->space.count;
    own->blocks = (uint32_t) ((count + ENGINE_NEIGHBOURS_BLOCK - 1) / ENGINE_NEIGHBOURS_BLOCK);
    own->own = (uint32_t) engine_share_begin(part.index, part.count, own->blocks);
    own->own_end = (uint32_t) engine_share_begin(part.index + 1, part.count, own->blocks);
    own->pool_size = own->space.room * ENGINE_NEIGHBOURS_BLOCK;
#define ENGINE_NEIGHBOURS_TAKE(pointer, type, number) \
    own->pointer = (type *) host->scratch(host, (number) * sizeof *own->pointer, ENGINE_HOST_MEMORY); \
    if (!own->pointer) \
        return ENGINE_NO_MEMORY;
    ENGINE_NEIGHBOURS_TAKE(now, struct engine_particle, count)
    ENGINE_NEIGHBOURS_TAKE(spare, struct engine_particle, count)
    ENGINE_NEIGHBOURS_TAKE(sums, struct engine_sums, count)
    ENGINE_NEIGHBOURS_TAKE(seen, struct engine_seen, count)
    ENGINE_NEIGHBOURS_TAKE(spare_seen, struct engine_seen, count)
    ENGINE_NEIGHBOURS_TAKE(id, uint32_t, count)
    ENGINE_NEIGHBOURS_TAKE(spare_id, uint32_t, count)
    own->built = (uint32_t(*)[NEIGHBOURS_AXES]) host->scratch(host, count * sizeof *own->built, ENGINE_HOST_MEMORY);
    if (!own->built)
        return ENGINE_NO_MEMORY;
    memset(own->built, 0, count * sizeof *own->built);
    ENGINE_NEIGHBOURS_TAKE(cell, uint32_t, count)
    ENGINE_NEIGHBOURS_TAKE(first, uint32_t, engine_space_cells_max(count) + 2)
    ENGINE_NEIGHBOURS_TAKE(begin, uint32_t, count)
    ENGINE_NEIGHBOURS_TAKE(length, uint32_t, count)
    ENGINE_NEIGHBOURS_TAKE(pools, uint32_t, (uint64_t) own->blocks * own->pool_size)
    ENGINE_NEIGHBOURS_TAKE(moved, uint8_t, own->blocks)
    ENGINE_NEIGHBOURS_TAKE(lost, uint64_t, own->blocks)
    ENGINE_NEIGHBOURS_TAKE(tallies, double, (count / ENGINE_TALLY_BLOCK + 1) * (NEIGHBOURS_METRICS + 1))
    return 0;
}

int engine_neighbours_cpu_create(const struct engine_call *call, void **self)
{
    const struct engine_host *host = call->host;
    const struct rule rule = rule_of(call);
    int status = engine_neighbours_check_all(call);
    if (status != 0)
        return status;
    struct engine_neighbours_instance *own =
        (struct engine_neighbours_instance *) host->scratch(host, sizeof *own, ENGINE_HOST_MEMORY);
    if (!own)
        return ENGINE_NO_MEMORY;
    memset(own, 0, sizeof *own);
    own->space.count = (uint32_t) engine_neighbours_count(call->plan);
    status = engine_space_set(&own->space, host, call->plan->box, (double) rule.reach, (double) NEIGHBOURS_SKIN(&rule),
                              NEIGHBOURS_ROOM);
    if (status == 0)
        status = engine_neighbours_allocate(own, call);
    *self = own;
    return status;
}

#endif
