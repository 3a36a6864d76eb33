/* cuda: the device runs batches of soups and counts the clusters that it knows. What it does not know comes to the host:
 * clusters that are not in the device's table, and soups that do not settle into still lifes, oscillators of period 2
 * and gliders that escape.
 *
 * The device counts a cluster without a word about its soup. So a cluster is in the table if the haul has ten soups of
 * each of its objects, all of them before the batch. */
#include "census.h"

#ifdef ENGINE_WITH_CUDA

#include "cuda.h"
#include "hard.h"

#include <stdlib.h>
#include <string.h>

enum {
    FIRST_BATCH = 1 << 11, /* the first batch reports all clusters, and each later one is four times as large */
    MOST_PASSES = 6000,
    SURE_STEPS = 1000, /* the host, too, finds that a soup has settled so many steps after the device */
    REPORTS = 64,      /* that a thread takes at a time */
    MOST_SLOTS = CENSUS_SLOTS / 2
};

/* What the objects of a cluster are, as numbers of the names in the haul. */
struct slot {
    uint32_t *names, count;
};

struct sieve {
    struct census_device *device;
    struct hard *hard;
    struct names **counted; /* room for the names of all threads */
    struct census_shape *table;
    struct slot *slots;
    uint32_t used;    /* slots */
    uint32_t version; /* of the table */
    uint32_t sent[2]; /* the version that each batch has, or 0 */
    uint32_t size;    /* soups of the next batch */
    uint64_t *left;   /* of each soup of a batch: a bit. The host runs it */
    uint16_t *taker;  /* of each report: the thread that took it */
    char *text;       /* of the haul, in haul.room bytes */
};

/* ---- Opening ----------------------------------------------------------------------------------------------------- */

static void forget(struct sieve *sieve)
{
    for (uint32_t i = 0; sieve->slots && i < CENSUS_SLOTS; i++)
        free(sieve->slots[i].names);
    if (sieve->slots)
        memset(sieve->slots, 0, CENSUS_SLOTS * sizeof *sieve->slots);
    if (sieve->table)
        memset(sieve->table, 0, CENSUS_SLOTS * sizeof *sieve->table);
    sieve->used = 0;
    sieve->version++;
    sieve->size = FIRST_BATCH;
}

void sieve_close(struct sieve *sieve)
{
    if (sieve->hard)
        hard_close(sieve->hard);
    if (sieve->device)
        census_device_close(sieve->device);
    forget(sieve);
    free(sieve->counted);
    free(sieve->table);
    free(sieve->slots);
    free(sieve->left);
    free(sieve->taker);
    free(sieve->text);
    free(sieve);
}

static void set_model(const struct instance *own, uint64_t limit, struct census_job *model)
{
    const struct worker *worker = &own->workers[0];
    *model = (struct census_job){.layout = *soup_layout_of(own->symmetry),
                                 .root_length = (uint32_t) strlen(own->haul.root),
                                 .is_life = worker->plane.is_life,
                                 .diagonal = worker->diagonal};
    memcpy(model->root, own->haul.root, model->root_length);
    memcpy(model->birth, worker->plane.birth, sizeof model->birth);
    memcpy(model->differs, worker->plane.differs, sizeof model->differs);
    if (worker->glider)
        memcpy(model->gliders, worker->gliders, sizeof model->gliders);
    if (limit > SURE_STEPS)
        model->most_passes = (limit - SURE_STEPS) / 2 < MOST_PASSES ? (uint32_t) (limit - SURE_STEPS) / 2 : MOST_PASSES;
}

int sieve_create(const struct engine_call *call, void **self)
{
    struct census_job model;
    int status = census_create(call, 2, self);
    if (status != 0)
        return status;
    struct instance *own = *self;
    struct sieve *sieve = own->sieve = calloc(1, sizeof *sieve);
    if (sieve) {
        sieve->table = calloc(CENSUS_SLOTS, sizeof *sieve->table);
        sieve->slots = calloc(CENSUS_SLOTS, sizeof *sieve->slots);
        sieve->left = malloc(CENSUS_BATCH / 8);
        sieve->counted = malloc(own->worker_count * sizeof *sieve->counted);
        sieve->taker = malloc(CENSUS_REPORTS * sizeof *sieve->taker);
        sieve->text = malloc(own->haul.room);
    }
    if (!sieve || !sieve->table || !sieve->slots || !sieve->left || !sieve->counted || !sieve->taker || !sieve->text ||
        hard_open(own, own->workers + own->worker_count / 2, own->worker_count / 2, &sieve->hard) != 0) {
        census_destroy(own);
        return ENGINE_FAIL(call->host, ENGINE_NO_MEMORY, "no memory for the census");
    }
    forget(sieve);
    set_model(own, (uint64_t) engine_param_integer(call->plan, CENSUS_LIMIT), &model);
    status = census_device_open(call, &model, &sieve->device);
    if (status != 0) {
        sieve->device = NULL;
        census_destroy(own);
    }
    return status;
}

const char *sieve_text(struct instance *own, const struct engine_call *call)
{
    struct sieve *sieve = own->sieve;
    const char *from = engine_field_buffer(call, CENSUS_HAUL)->origin[0];
    forget(sieve); /* the haul is read again, and the numbers of its names change */
    return census_device_read(call, sieve->text, from, own->haul.room) == 0 ? sieve->text : NULL;
}

/* ---- The table ---------------------------------------------------------------------------------------------------- */

/* The slot of a shape, or the free one where it belongs. */
static uint32_t find(const struct sieve *sieve, const struct census_shape *shape)
{
    uint32_t sum = 0;
    for (uint32_t y = 0; y < 32; y++)
        sum += census_hash_row(y, shape->rows[y]);
    for (uint32_t slot = census_hash_end(sum);; slot++) {
        slot %= CENSUS_SLOTS;
        if (!sieve->table[slot].rows[0] || memcmp(&sieve->table[slot], shape, sizeof *shape) == 0)
            return slot;
    }
}

static struct shape shape_of(const struct census_shape *cells)
{
    struct shape shape = {.height = 0};
    uint32_t columns = 0;
    for (uint32_t y = 0; y < 32; y++) {
        columns |= cells->rows[y];
        shape.rows[y] = cells->rows[y];
        shape.height = cells->rows[y] ? y + 1 : shape.height;
    }
    shape.width = columns ? 32 - (uint32_t) __builtin_clz(columns) : 0;
    return shape;
}

/* Puts a cluster into the table if the haul has all soups of its objects that it keeps. */
static int learn(struct instance *own, const struct worker *worker, const struct census_shape *cells)
{
    struct sieve *sieve = own->sieve;
    const uint32_t slot = find(sieve, cells);
    const struct shape shape = shape_of(cells);
    if (sieve->used == MOST_SLOTS || sieve->slots[slot].names)
        return 0;
    const struct known *known = known_find(&worker->known, &shape);
    uint32_t *names = known->rows ? malloc((known->count + 1) * sizeof *names) : NULL;
    for (uint32_t i = 0; names && i < known->count; i++) {
        names[i] = names_look(&own->haul.names, worker->names.at[known->numbers[i]].code);
        if (!names[i] || own->haul.names.at[names[i]].sample_count < NAME_SAMPLES) {
            free(names);
            return 0;
        }
    }
    if (!names)
        return known->rows ? -1 : 0;
    sieve->slots[slot] = (struct slot){names, known->count};
    sieve->table[slot] = *cells;
    sieve->used++;
    sieve->version++;
    return 0;
}

/* ---- Batches ------------------------------------------------------------------------------------------------------ */

struct rest {
    struct instance *own;
    const struct census_results *results;
    uint64_t first;
    _Atomic uint32_t next; /* the first report that no thread has taken */
    _Atomic bool failed;
};

static bool is_left(const struct sieve *sieve, uint32_t soup)
{
    return sieve->left[soup / 64] >> soup % 64 & 1;
}

/* Takes a cluster or a glider that the device has reported, if the host does not run the whole soup. */
static int take_report(struct rest *rest, struct worker *worker, const struct census_report *report)
{
    const struct shape shape = shape_of(&report->shape);
    const uint64_t number = rest->first + report->soup;
    if (is_left(rest->own->sieve, report->soup))
        return 0;
    if (shape.height)
        return soups_take_cluster(worker, number, &shape);
    soups_take_glider(worker, number);
    return 0;
}

static void take_reports(void *argument, uint64_t thread)
{
    struct rest *rest = argument;
    const uint32_t count = rest->results->totals.reports;
    for (uint32_t begin; (begin = atomic_fetch_add(&rest->next, REPORTS)) < count;)
        for (uint32_t i = begin; i < begin + REPORTS && i < count && !rest->failed; i++) {
            rest->own->sieve->taker[i] = (uint16_t) thread;
            if (take_report(rest, &rest->own->workers[thread], &rest->results->reports[i]) != 0)
                rest->failed = true;
        }
}

/* Adds what the threads have counted, but not those that run a soup. `all`: waits for them. Objects get lines of a haul
 * that may become full in the order of their soups, so then all soups before must be there. */
static int add_names(struct instance *own, bool all)
{
    struct sieve *sieve = own->sieve;
    const uint32_t threads = own->worker_count / 2;
    memcpy(sieve->counted, own->counted, threads * sizeof *sieve->counted);
    const uint32_t paused =
        hard_pause(sieve->hard, all || own->haul.used > own->haul.room / 2, sieve->counted + threads);
    const int status = haul_add(&own->haul, sieve->counted, threads + paused);
    return hard_resume(sieve->hard) ? -1 : status;
}

/* Adds what the device has counted. */
static void add_counts(struct instance *own, const struct census_results *results)
{
    const struct sieve *sieve = own->sieve;
    struct names *names = &own->haul.names;
    for (uint32_t slot = 0; slot < CENSUS_SLOTS; slot++)
        for (uint32_t i = 0; results->counts[slot] && i < sieve->slots[slot].count; i++)
            names->at[sieve->slots[slot].names[i]].count += results->counts[slot];
    if (results->totals.gliders)
        names->at[names_look(names, "xq4_153")].count += results->totals.gliders;
}

/* Takes the results of a batch. */
static int take_results(struct instance *own, const struct engine_call *call, const struct census_results *results,
                        uint64_t first)
{
    struct sieve *sieve = own->sieve;
    struct rest rest = {.own = own, .results = results, .first = first};
    memset(sieve->left, 0, CENSUS_BATCH / 8);
    for (uint32_t i = 0; i < results->totals.left; i++)
        sieve->left[results->left[i] / 64] |= UINT64_C(1) << results->left[i] % 64;
    int status = hard_add(sieve->hard, first, results->left, results->totals.left);
    call->host->parallel(call->host, own->worker_count / 2, take_reports, &rest);
    if (status == 0)
        status = rest.failed ? -1 : add_names(own, false);
    if (status == 0)
        add_counts(own, results);
    for (uint32_t i = 0; status == 0 && i < results->totals.reports; i++)
        if (results->reports[i].shape.rows[0] && !is_left(sieve, results->reports[i].soup))
            status = learn(own, &own->workers[sieve->taker[i]], &results->reports[i].shape);
    return status ? ENGINE_FAIL(call->host, -ENGINE_NO_MEMORY, "no memory for the objects of the soups") : 0;
}

/* Have ten soups with gliders been kept? */
static bool has_gliders(const struct instance *own)
{
    const uint32_t number = names_look(&own->haul.names, "xq4_153");
    return number && own->haul.names.at[number].sample_count == NAME_SAMPLES;
}

struct pending {
    uint64_t first;
    uint32_t count;
};

static int start(struct instance *own, const struct engine_call *call, uint32_t batch, const struct pending *soups)
{
    struct sieve *sieve = own->sieve;
    const bool has = sieve->sent[batch] == sieve->version;
    sieve->sent[batch] = sieve->version;
    return census_device_start(sieve->device, call, batch, soups->first, soups->count, !has_gliders(own),
                               has ? NULL : sieve->table);
}

static int take_batches(struct instance *own, const struct engine_call *call, uint64_t first, uint64_t end)
{
    struct sieve *sieve = own->sieve;
    struct pending pending[2] = {{.count = 0}};
    struct census_results results;
    int status = 0;
    for (uint32_t batch = 0; status == 0 && (first < end || pending[batch ^ 1].count); batch ^= 1) {
        pending[batch] = (struct pending){first, (uint32_t) (end - first < sieve->size ? end - first : sieve->size)};
        first += pending[batch].count;
        if (pending[batch].count)
            status = start(own, call, batch, &pending[batch]);
        const struct pending *const before = &pending[batch ^ 1];
        if (status == 0 && before->count) {
            status = census_device_finish(sieve->device, call, batch ^ 1, &results);
            status = status ? status : take_results(own, call, &results, before->first);
            sieve->size = 4 * sieve->size < CENSUS_BATCH ? 4 * sieve->size : CENSUS_BATCH;
        }
    }
    return status;
}

int sieve_advance(void *self, struct engine_call *call)
{
    struct instance *own = self;
    const uint64_t soups = (uint64_t) engine_param_integer(call->plan, CENSUS_SOUPS);
    const uint64_t first = call->first_step * soups, end = (call->first_step + call->steps) * soups;
    int status = census_read(own, call);
    status = status ? status : take_batches(own, call, first, end);
    if (status != 0)
        return status;
    own->haul.soups = end;
    if (add_names(own, true) != 0 || haul_write(&own->haul, own->sieve->text) != 0)
        return ENGINE_FAIL(call->host, -ENGINE_NO_MEMORY, "no memory for the objects of the soups");
    return census_device_write(call, engine_field_buffer(call, CENSUS_HAUL)->origin[0], own->sieve->text,
                               own->haul.room);
}

#endif
