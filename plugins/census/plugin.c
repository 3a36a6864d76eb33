/* census: what random soups of Life become. A step is a number of soups; the state is the haul so far. */
#define ENGINE_MINOR 12
#include <common/isa_choice.h>
#include <engine/batch.h>
#include <engine/bench.h>
#include <engine/edges.h>
#include <engine/layout.h>
#include <life/plugin.h>

#include "census.h"

#include <stdlib.h>

extern const struct plane_kernel plane_kernel_avx512, plane_kernel_avx2, plane_kernel_plain;

static const struct isa_kernel *const kernels[] = ISA_KERNELS(plane_kernel);

/* ---- The configuration ------------------------------------------------------------------------------------------- */

static int check_root(const struct engine_host *host, const struct engine_value *value)
{
    const size_t length = strlen(value->text);
    if (length > HAUL_ROOT)
        return ENGINE_FAIL(host, ENGINE_INVALID, "a root has at most %d characters, and this one has %zu", HAUL_ROOT,
                           length);
    if (length == 0 || strpbrk(value->text, " \t\r\n"))
        return ENGINE_FAIL(host, ENGINE_INVALID, "a root has at least one character and no blanks");
    return 0;
}

static const struct engine_param params[] = {
    [CENSUS_RULE] = LIFE_RULE_PARAM,
    [CENSUS_SYMMETRY] = {ENGINE_CHOICE_PARAM("symmetry", "the symmetry of the soups, as apgsearch names it", "C1",
                                             soup_symmetries)},
    [CENSUS_ROOT] = {ENGINE_TEXT_PARAM("root",
                                       "soup n is made from the SHA-256 of this text followed by n; from a root that "
                                       "begins with l_, apgsearch makes the same soups",
                                       "l_census"),
                     .check = check_root},
    [CENSUS_SOUPS] = {ENGINE_INTEGER_PARAM("soups", "the number of soups in a step", "10", 1, 1e9)},
    [CENSUS_LIMIT] = {ENGINE_INTEGER_PARAM("limit",
                                           "a soup that has not settled after this number of steps is given up, and "
                                           "counts as one object " HAUL_GIVEN_UP,
                                           "30000", 10, 1e9),
                      .unit = "steps"},
    [CENSUS_BYTES] =
        {ENGINE_INTEGER_PARAM(
             "bytes",
             "the size of the buffer for the text of the haul; if it is full, new objects count as " HAUL_OTHERS,
             "4194304", HAUL_LEAST, 1 << 30),
         .unit = "bytes"},
    [CENSUS_INSTRUCTIONS] = ISA_INSTRUCTIONS_PARAM(ENGINE_PARAM_TUNING),
};

static const struct engine_field fields[] = {
    [CENSUS_HAUL] = {ENGINE_BIN_FIELD("haul", "the text of the haul, in the format of apgsearch, and zeros behind it",
                                      ENGINE_U8)},
};

static int shape(const struct engine_host *host, const struct engine_plan *plan, uint32_t field, uint64_t step,
                 struct engine_shape *shape)
{
    (void) host, (void) field, (void) step;
    shape->extent[0] = (uint64_t) engine_param_integer(plan, CENSUS_BYTES);
    return 0;
}

static int check(const struct engine_host *host, const struct engine_plan *plan)
{
    const struct life_rule rule = life_plan_rule(plan);
    if (!rule.counts || rule.neighbours != LIFE_MOORE || (rule.birth & 3))
        return ENGINE_FAIL(host, ENGINE_INVALID,
                           "census.rule = %s: expected a rule that counts eight neighbours, without births at 0 or 1",
                           engine_param_text(plan, CENSUS_RULE));
    return 0;
}

/* ---- An instance ------------------------------------------------------------------------------------------------- */

void census_destroy(void *self)
{
    struct instance *own = self;
#ifdef ENGINE_WITH_CUDA
    if (own->sieve)
        sieve_close(own->sieve);
#endif
    for (uint32_t i = 0; i < own->worker_count; i++)
        soups_close(&own->workers[i]);
    free(own->workers);
    free(own->counted);
    names_close(&own->haul.names);
    free(own);
}

static void write_rule(const struct life_rule *rule, char *text)
{
    *text++ = 'b';
    for (int total = 0; total < 9; total++)
        if (rule->birth >> total & 1)
            *text++ = (char) ('0' + total);
    *text++ = 's';
    for (int total = 0; total < 9; total++)
        if (rule->survive >> total & 1)
            *text++ = (char) ('0' + total);
    *text = '\0';
}

static int open_workers(struct instance *own, const struct engine_plan *plan, uint32_t count,
                        const struct plane_kernel *kernel, const struct life_rule *rule)
{
    own->workers = calloc(count, sizeof *own->workers);
    own->counted = calloc(count, sizeof *own->counted);
    if (!own->workers || !own->counted)
        return -1;
    for (uint32_t i = 0; i < count; i++, own->worker_count++) {
        own->counted[i] = &own->workers[i].names;
        if (soups_open(&own->workers[i], kernel, rule->birth, rule->survive,
                       (uint64_t) engine_param_integer(plan, CENSUS_LIMIT)) != 0)
            return -1;
    }
    return 0;
}

int census_create(const struct engine_call *call, uint32_t each, void **self)
{
    const struct plane_kernel *kernel = isa_choose(kernels, call->plan, CENSUS_INSTRUCTIONS);
    const struct life_rule rule = life_plan_rule(call->plan);
    struct instance *own = calloc(1, sizeof *own);
    if (!own)
        return ENGINE_FAIL(call->host, ENGINE_NO_MEMORY, "no memory for the census");
    own->haul = (struct haul){.root = engine_param_text(call->plan, CENSUS_ROOT),
                              .rule = own->rule,
                              .symmetry = engine_param_text(call->plan, CENSUS_SYMMETRY),
                              .room = (uint64_t) engine_param_integer(call->plan, CENSUS_BYTES)};
    own->symmetry = (uint32_t) engine_param_integer(call->plan, CENSUS_SYMMETRY);
    write_rule(&rule, own->rule);
    if (open_workers(own, call->plan, each * call->plan->threads, kernel, &rule) != 0) {
        census_destroy(own);
        return ENGINE_FAIL(call->host, ENGINE_NO_MEMORY, "no memory for the census");
    }
    call->host->note(call->host, "instructions", "%s", kernel->isa.name);
    *self = own;
    return 0;
}

static int create(const struct engine_call *call, void **self)
{
    return census_create(call, 1, self);
}

/* ---- Steps ------------------------------------------------------------------------------------------------------- */

int census_take_soup(struct instance *own, struct worker *worker, uint64_t number)
{
    char text[HAUL_ROOT + 24];
    uint64_t rows[SOUP_SIDE];
    struct soup soup;
    const int length = snprintf(text, sizeof text, "%s%llu", own->haul.root, (unsigned long long) number);
    soup_make(text, (size_t) length, own->symmetry, &soup);
    for (int y = 0; y < SOUP_SIDE; y++)
        rows[y] = soup.rows[y];
    return soups_take(worker, number, rows, SOUP_SIDE);
}

enum { BLOCK = 16 }; /* soups that a thread takes at a time */

struct job {
    struct instance *own;
    uint64_t end;
    _Atomic uint64_t next; /* the first soup that no thread has taken */
    _Atomic bool failed;
};

static void take_soups(void *argument, uint64_t thread)
{
    struct job *job = argument;
    struct worker *worker = &job->own->workers[thread];
    for (;;) {
        const uint64_t begin = atomic_fetch_add(&job->next, BLOCK);
        for (uint64_t number = begin; number < begin + BLOCK; number++) {
            if (number >= job->end || job->failed)
                return;
            if (census_take_soup(job->own, worker, number) != 0)
                job->failed = true;
        }
    }
}

int census_read(struct instance *own, const struct engine_call *call)
{
    const char *text = engine_field_buffer(call, CENSUS_HAUL)->origin[0];
    if (own->loaded && !(call->flags & ENGINE_CALL_FRESH))
        return 0;
    own->loaded = false;
#ifdef ENGINE_WITH_CUDA
    if (own->sieve)
        text = sieve_text(own, call);
    if (!text)
        return ENGINE_DEVICE;
#endif
    const int status = memchr(text, 0, own->haul.room) ? haul_read(&own->haul, text) : 1;
    if (status < 0)
        return ENGINE_FAIL(call->host, ENGINE_NO_MEMORY, "no memory for the objects of the haul");
    if (status > 0)
        return ENGINE_FAIL(call->host, ENGINE_INVALID, "the field haul holds no haul");
    own->loaded = true;
    return 0;
}

static int advance(void *self, struct engine_call *call)
{
    struct instance *own = self;
    const uint64_t soups = (uint64_t) engine_param_integer(call->plan, CENSUS_SOUPS);
    struct job job = {.own = own, .end = (call->first_step + call->steps) * soups, .next = call->first_step * soups};
    int status = census_read(own, call);
    if (status != 0)
        return status;
    call->host->parallel(call->host, own->worker_count, take_soups, &job);
    own->haul.soups = job.end;
    if (job.failed || haul_add(&own->haul, own->counted, own->worker_count) != 0 ||
        haul_write(&own->haul, engine_field_buffer(call, CENSUS_HAUL)->origin[0]) != 0)
        return ENGINE_FAIL(call->host, -ENGINE_NO_MEMORY, "no memory for the objects of the soups");
    return 0;
}

static int measure(void *self, const struct engine_call *call, double *values)
{
    struct instance *own = self;
    const struct haul *haul = &own->haul;
    const int status = census_read(own, call);
    if (status != 0)
        return status;
    values[0] = (double) haul->soups;
    for (uint32_t i = 1; i < haul->names.count; i++) {
        values[1] += (double) haul->names.at[i].count;
        values[2] += i > haul->others;
    }
    values[3] = (double) haul->names.at[haul->given_up].count;
    values[4] = (double) haul->names.at[haul->others].count;
    return 0;
}

/* ---- The descriptor ---------------------------------------------------------------------------------------------- */

static const struct engine_metric metrics[] = {
    {ENGINE_METRIC("soups", NULL, "soups that have been run")},
    {ENGINE_METRIC("objects", NULL, "objects that have been counted")},
    {ENGINE_METRIC("kinds", NULL, "different objects")},
    {ENGINE_METRIC("given_up", NULL, "soups that have not settled")},
    {ENGINE_METRIC("others", NULL, "objects that have no line of their own, because the haul is full")},
};

static int probe(const struct engine_host *host, const struct engine_plan *plan)
{
    return isa_probe(kernels, host, plan, CENSUS_INSTRUCTIONS);
}

static const struct engine_impl impls[] = {
    {ENGINE_HOST_IMPL("cpu", "all threads, a soup each, in tiles of 28 x 28 cells that are left out when they settle",
                      1, ENGINE_EXACT | ENGINE_REFERENCE),
     .probe = probe, .create = create, .advance = advance, .measure = measure, .destroy = census_destroy},
    {
        ENGINE_CUDA_IMPL("cuda", "a warp runs a soup; the host takes rare objects and the soups that hold others", 20,
                         ENGINE_EXACT),
#ifdef ENGINE_WITH_CUDA
        .probe = probe,
        .create = sieve_create,
        .advance = sieve_advance,
        .measure = measure,
        .destroy = census_destroy,
#endif
    },
};

ENGINE_EXPORT const struct engine_plugin engine_plugin = {
    ENGINE_PLUGIN("census", "0.1.0", "runs random soups of Life to their end, and counts the objects by name"),
    .params = ENGINE_ARRAY(params),
    .fields = ENGINE_ARRAY(fields),
    .metrics = ENGINE_ARRAY(metrics),
    .impls = ENGINE_ARRAY(impls),
    .shape = shape,
    .check = check,
};
