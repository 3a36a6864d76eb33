/* engine/neighbours.h - a rule for particles that act on those near them, written once for the CPU and the GPU.
 *
 * This header is optional and not part of the binary interface: everything here is inline. You describe a particle by
 * macros, include this header, and write two functions: `meet` adds what a particle gets from one neighbour to sums,
 * and `move` changes the particle by its sums. Then engine/neighbours_cpu.h makes an implementation for the CPU of it,
 * and engine/neighbours.cuh one for CUDA. Both give the same bits. These are discs that push each other apart:
 *
 *     #define NEIGHBOURS_AXES 2                                       // 2 or 3
 *     #define NEIGHBOURS_PARTICLE(field) field(float, position, 2)    // the states: type, name, components
 *     #define NEIGHBOURS_SUM(sum)        sum(push, 2)                 // name, components
 *     #include <engine/neighbours.h>
 *
 *     struct rule {
 *         float reach; // neighbours are nearer than this
 *         float rate;
 *     };
 *
 *     static inline struct rule rule_of(const struct engine_call *call)
 *     {
 *         const struct rule rule = {1, (float) engine_param_real(call->plan, RATE)};
 *         return rule;
 *     }
 *
 *     ENGINE_INLINE void meet(const struct rule *rule, const struct engine_seen *self, const struct engine_seen *other,
 *                             const float d[2], float square, struct engine_sums *sums)
 *     {
 *         for (int c = 0; c < 2; c++)
 *             sums->push[c] += engine_fixed(0x1p24f * (rule->reach - square) * d[c]);
 *     }
 *
 *     ENGINE_INLINE void move(const struct rule *rule, struct engine_particle *self, const struct engine_sums *sums,
 *                             uint64_t id, uint64_t step)
 *     {
 *         for (int c = 0; c < 2; c++)
 *             self->position[c] += rule->rate * 0x1p-24f * (float) sums->push[c];
 *     }
 *
 * What you write:
 *
 *   struct rule    the numbers that a step needs. A kernel gets a copy. Its member `reach` is a float: `meet` is called
 *                  for all pairs with square < reach * reach. It is at most half of each edge of a periodic box
 *   rule_of        reads them from call->plan, once a call
 *   meet           adds to *sums what `self` gets from `other`. d is the vector from `other` to `self`, of the nearest
 *                  image, and `square` the square of its length. It is called for (a, b) and for (b, a). Sums are
 *                  int64_t, so that they do not depend on the order of the neighbours: choose a unit, and round to a
 *                  multiple of it with engine_fixed or, for a vector, with engine_add_fixed
 *   move           changes *self by the sums of its neighbours. `id` is its number in the fields, and `step` the number
 *                  of the step; engine/random.h makes random numbers of both. engine_wrapped(x, edge) puts a coordinate
 *                  into a box. Members of engine_particle and engine_sums are arrays, also those of one component
 *
 * The functions have no side effects. A member of NEIGHBOURS_PARTICLE is `position`, of type float or double, of
 * which the first NEIGHBOURS_AXES components count. Before the include you may define:
 *
 *   NEIGHBOURS_INPUTS(field)   the components of the input fields, further members of engine_particle
 *   NEIGHBOURS_OUTPUTS(field)  those of the output fields, which `move` sets; the last step of a call stores them
 *   NEIGHBOURS_SEEN(field)     the members of engine_seen: those of engine_particle that `meet` reads. The
 *                              fewer the faster
 *   NEIGHBOURS_BEGIN           there is a function `begin`, with the arguments of `move`, which is called at the begin
 *                              of a step with the sums at the old positions. It moves the particle; then `meet` sums at
 *                              the new positions, and `move` changes the other members. Velocity Verlet needs this
 *   NEIGHBOURS_CENTRAL         the name of the only sum, if it is a vector to which each pair adds a multiple of d.
 *                              A function
 *                              ENGINE_INLINE float factor_of(const struct rule *, const struct engine_seen *self,
 *                                                            const struct engine_seen *other, float square)
 *                              takes the place of `meet` and returns the factor. The sum gets factor * d, as
 *                              engine_add_fixed rounds it. The factor must be 0 from the reach on, and finite if square
 *                              is 0. This is faster on a GPU
 *   NEIGHBOURS_RANDOM          the steps use plan->seed
 *   NEIGHBOURS_METRICS         the number of metrics. A function `tally` adds a particle's contribution to
 *                              each of them:
 *                              ENGINE_INLINE void tally(const struct rule *, const struct engine_particle *,
 *                                                       double *sums)
 *   NEIGHBOURS_REFERENCE       0: the CPU implementation is not the one with which `engine verify` compares the others
 *   NEIGHBOURS_SKIN(rule)      lists of neighbours reach so far beyond rule->reach. They are good until a particle has
 *                              moved by half of it, so it depends on the speed. Default: a tenth of the reach
 *   NEIGHBOURS_ROOM            the neighbours for which a list has room. A particle with more of them has no list and
 *                              is slower. Default: twice those at the mean density, and 64 at least
 *
 * In one source file of the plugin follow `#include <engine/neighbours_cpu.h>` and the row ENGINE_NEIGHBOURS_CPU_IMPL
 * of the table of implementations; in a .cu file `#include <engine/neighbours.cuh>` and the row
 * ENGINE_NEIGHBOURS_CUDA_IMPL.
 *
 * The box is [particles] box: an axis with an edge is periodic, one with an edge of 0 is open. A place along a periodic
 * axis is a multiple of edge / 2^32, and along an open axis a float. Differences d are computed from places. A position
 * that is not a number below 1e15 ends the run.
 *
 * Members and fields correspond by their order: a field of ENGINE_F32 with two components is field(float, name, 2), one
 * of ENGINE_I32 is field(int32_t, name, …), and so on; `create` checks this.
 *
 * The same source gives the same bits on the CPU and on the GPU if the compiler does not fuse multiplications and
 * additions: compile with -ffp-contract=off and with nvcc's --fmad=false. Of math.h, use only functions that are
 * rounded correctly, such as sqrtf, fmaf and floorf: sinf, expf and others have different bits on a GPU. */
#ifndef ENGINE_NEIGHBOURS_H
#define ENGINE_NEIGHBOURS_H

#if !defined(NEIGHBOURS_AXES) || !defined(NEIGHBOURS_PARTICLE) || !defined(NEIGHBOURS_SUM)
#error "define NEIGHBOURS_AXES, NEIGHBOURS_PARTICLE and NEIGHBOURS_SUM before you include engine/neighbours.h"
#endif
#if NEIGHBOURS_AXES < 2 || NEIGHBOURS_AXES > 3
#error "NEIGHBOURS_AXES is 2 or 3"
#endif

#ifndef ENGINE_MINOR
#define ENGINE_MINOR 6 /* for ENGINE_TEAMWORK */
#endif
#include <engine/layout.h>
#include <engine/parts.h>

#include <math.h>
#include <string.h>

#ifndef NEIGHBOURS_INPUTS
#define NEIGHBOURS_INPUTS(field)
#endif
#ifndef NEIGHBOURS_OUTPUTS
#define NEIGHBOURS_OUTPUTS(field)
#endif
#ifndef NEIGHBOURS_SEEN
#define NEIGHBOURS_SEEN(field)
#endif
#ifndef NEIGHBOURS_METRICS
#define NEIGHBOURS_METRICS 0
#endif
#ifndef NEIGHBOURS_REFERENCE
#define NEIGHBOURS_REFERENCE 1
#endif
#ifndef NEIGHBOURS_SKIN
#define NEIGHBOURS_SKIN(rule) (0.1f * (rule)->reach)
#endif
#ifndef NEIGHBOURS_ROOM
#define NEIGHBOURS_ROOM 0 /* by the mean density */
#endif

/* ---- What the functions see -------------------------------------------------------------------------------------- */

#define ENGINE_NEIGHBOURS_MEMBER(type, name, components) type name[components];

struct engine_particle {
    NEIGHBOURS_PARTICLE(ENGINE_NEIGHBOURS_MEMBER)
    NEIGHBOURS_INPUTS(ENGINE_NEIGHBOURS_MEMBER)
    NEIGHBOURS_OUTPUTS(ENGINE_NEIGHBOURS_MEMBER)
};

/* A particle as its neighbours see it. `place` is the engine's own. */
struct engine_seen {
    uint32_t place[NEIGHBOURS_AXES];
    NEIGHBOURS_SEEN(ENGINE_NEIGHBOURS_MEMBER)
};

struct engine_sums {
#define ENGINE_NEIGHBOURS_SUM_MEMBER(name, components) int64_t name[components];
    NEIGHBOURS_SUM(ENGINE_NEIGHBOURS_SUM_MEMBER)
};

enum { ENGINE_NEIGHBOURS_SUMS = sizeof(struct engine_sums) / sizeof(int64_t) };

/* The integer nearest to a number, the even one of two. A number beyond 2^52 is limited to that, so that sums of
 * hundreds do not overflow; what is no number is 0. */
ENGINE_INLINE int64_t engine_fixed(float number)
{
    const float most = 0x1p52f;
    if (!(number == number))
        return 0;
    number = number < -most ? -most : number > most ? most : number;
#ifdef __CUDA_ARCH__
    return __float2ll_rn(number);
#else
    return llrintf(number);
#endif
}

/* Adds factor * d[c], as engine_fixed rounds it, to each sum[c]. Faster than engine_fixed on a GPU. */
ENGINE_INLINE void engine_add_fixed(int64_t *sum, float factor, const float d[NEIGHBOURS_AXES])
{
    float part[NEIGHBOURS_AXES];
    int small = 1;
    for (int c = 0; c < NEIGHBOURS_AXES; c++) {
        part[c] = factor * d[c];
        small = small & (fabsf(part[c]) < 0x1p31f);
    }
#ifdef __CUDA_ARCH__
    if (small) { /* the conversion to 32 bits is faster */
        for (int c = 0; c < NEIGHBOURS_AXES; c++)
            sum[c] += __float2int_rn(part[c]);
        return;
    }
#endif
    (void) small;
    for (int c = 0; c < NEIGHBOURS_AXES; c++)
        sum[c] += engine_fixed(part[c]);
}

/* A coordinate put into a periodic box, [0, edge]; edge = 0: as it is. */
ENGINE_INLINE double engine_wrapped(double x, double edge)
{
    return edge > 0 ? x - edge * floor(x / edge) : x;
}

/* ---- Implementations --------------------------------------------------------------------------------------------- */

#ifdef __cplusplus
extern "C" {
#endif
int engine_neighbours_cpu_probe(const struct engine_host *host, const struct engine_plan *plan);
int engine_neighbours_cpu_create(const struct engine_call *call, void **self);
int engine_neighbours_cpu_advance(void *self, struct engine_call *call);
int engine_neighbours_cpu_measure(void *self, const struct engine_call *call, double *values);
int engine_neighbours_cuda_probe(const struct engine_host *host, const struct engine_plan *plan);
int engine_neighbours_cuda_create(const struct engine_call *call, void **self);
int engine_neighbours_cuda_advance(void *self, struct engine_call *call);
int engine_neighbours_cuda_measure(void *self, const struct engine_call *call, double *values);
#ifdef __cplusplus
}
#endif

#if ENGINE_MINOR >= 6
#define ENGINE_NEIGHBOURS_TEAMWORK ENGINE_TEAMWORK
#else
#define ENGINE_NEIGHBOURS_TEAMWORK 0u
#endif
#ifdef NEIGHBOURS_RANDOM
#define ENGINE_NEIGHBOURS_FLAGS (ENGINE_NEIGHBOURS_TEAMWORK | ENGINE_SEEDED)
#else
#define ENGINE_NEIGHBOURS_FLAGS ENGINE_NEIGHBOURS_TEAMWORK
#endif

/* Rows of the table of implementations, for use inside braces; further members may follow. The row of `cuda` has
 * functions only if the plugin is built with CUDA: then its Makefile defines ENGINE_WITH_CUDA. */
#define ENGINE_NEIGHBOURS_CPU_IMPL \
    ENGINE_HOST_IMPL("cpu", "lists of neighbours, on all threads", 10, \
                     ENGINE_EXACT | ENGINE_IN_PLACE | (NEIGHBOURS_REFERENCE ? ENGINE_REFERENCE : 0u) | \
                         ENGINE_NEIGHBOURS_FLAGS), \
        .probe = engine_neighbours_cpu_probe, .create = engine_neighbours_cpu_create, \
        .advance = engine_neighbours_cpu_advance, .measure = NEIGHBOURS_METRICS ? engine_neighbours_cpu_measure : NULL

#define ENGINE_NEIGHBOURS_CUDA_ROW \
    ENGINE_CUDA_IMPL("cuda", "lists of neighbours, each shared by four lanes", 20, \
                     ENGINE_EXACT | ENGINE_IN_PLACE | ENGINE_NEIGHBOURS_FLAGS)
#ifdef ENGINE_WITH_CUDA
#define ENGINE_NEIGHBOURS_CUDA_IMPL \
    ENGINE_NEIGHBOURS_CUDA_ROW, .probe = engine_neighbours_cuda_probe, .create = engine_neighbours_cuda_create, \
                                .advance = engine_neighbours_cuda_advance, \
                                .measure = NEIGHBOURS_METRICS ? engine_neighbours_cuda_measure : NULL
#else
#define ENGINE_NEIGHBOURS_CUDA_IMPL ENGINE_NEIGHBOURS_CUDA_ROW
#endif

#include <engine/neighbours_space.h>

/* ---- Fields ------------------------------------------------------------------------------------------------------ */

/* A field in memory: component c of particle i is element i * pitch + c * apart. */
struct engine_strided {
    void *origin;
    int64_t pitch, apart;
};

/* Field `index` of the plugin's table. */
static inline const struct engine_field *engine_neighbours_field(uint32_t index)
{
    const struct engine_field_array *fields = &engine_plugin.fields;
    return (const struct engine_field *) (const void *) ((const char *) fields->at +
                                                         (size_t) index * fields->item_size);
}

/* The number of the index-th field with a role, or the number of all fields. */
static inline uint32_t engine_neighbours_find(uint32_t role, uint32_t index)
{
    uint32_t i = 0;
    for (; i < engine_plugin.fields.count; i++)
        if (engine_neighbours_field(i)->role == role && index-- == 0)
            break;
    return i;
}

static inline struct engine_strided engine_neighbours_strided(const struct engine_call *call, uint32_t role,
                                                              uint32_t index, uint32_t which, size_t size)
{
    const struct engine_buffer *buffer = engine_field_buffer(call, engine_neighbours_find(role, index));
    const int64_t apart = buffer->component_stride / (int64_t) size;
    const struct engine_strided strided = {buffer->origin[role == ENGINE_STATE ? which : 0],
                                           buffer->layout->planar ? 1 : (int64_t) buffer->layout->component_stride,
                                           apart};
    return strided;
}

/* All fields, as both implementations read and write them. */
struct engine_neighbours_fields {
#define ENGINE_NEIGHBOURS_STRIDED(type, name, components) struct engine_strided name;
    NEIGHBOURS_PARTICLE(ENGINE_NEIGHBOURS_STRIDED)
    NEIGHBOURS_INPUTS(ENGINE_NEIGHBOURS_STRIDED)
    NEIGHBOURS_OUTPUTS(ENGINE_NEIGHBOURS_STRIDED)
};

static inline struct engine_neighbours_fields engine_neighbours_fields_of(const struct engine_call *call,
                                                                          uint32_t which)
{
    struct engine_neighbours_fields fields;
    uint32_t found[3] = {0, 0, 0}; /* of each role */
#define ENGINE_NEIGHBOURS_BIND(role, type, member) \
    fields.member = engine_neighbours_strided(call, role, found[role]++, which, sizeof(type));
#define ENGINE_NEIGHBOURS_BIND_STATE(type, name, components)  ENGINE_NEIGHBOURS_BIND(ENGINE_STATE, type, name)
#define ENGINE_NEIGHBOURS_BIND_INPUT(type, name, components)  ENGINE_NEIGHBOURS_BIND(ENGINE_INPUT, type, name)
#define ENGINE_NEIGHBOURS_BIND_OUTPUT(type, name, components) ENGINE_NEIGHBOURS_BIND(ENGINE_OUTPUT, type, name)
    NEIGHBOURS_PARTICLE(ENGINE_NEIGHBOURS_BIND_STATE)
    NEIGHBOURS_INPUTS(ENGINE_NEIGHBOURS_BIND_INPUT)
    NEIGHBOURS_OUTPUTS(ENGINE_NEIGHBOURS_BIND_OUTPUT)
    return fields;
}

#define ENGINE_NEIGHBOURS_ELEMENT(type, fields, name, i, c) \
    ((type *) (fields).name.origin)[(int64_t) (i) * (fields).name.pitch + (c) * (fields).name.apart]
#define ENGINE_NEIGHBOURS_GET(type, name, components) \
    for (int c = 0; c < (components); c++) \
        particle.name[c] = ENGINE_NEIGHBOURS_ELEMENT(const type, *fields, name, i, c);
#define ENGINE_NEIGHBOURS_PUT(type, name, components) \
    for (int c = 0; c < (components); c++) \
        ENGINE_NEIGHBOURS_ELEMENT(type, *fields, name, i, c) = particle->name[c];

/* Particle i of the fields, with outputs of 0. */
ENGINE_INLINE struct engine_particle engine_particle_get(const struct engine_neighbours_fields *fields, uint64_t i)
{
    struct engine_particle particle;
    memset(&particle, 0, sizeof particle);
    NEIGHBOURS_PARTICLE(ENGINE_NEIGHBOURS_GET)
    NEIGHBOURS_INPUTS(ENGINE_NEIGHBOURS_GET)
    return particle;
}

ENGINE_INLINE void engine_particle_put(const struct engine_neighbours_fields *fields, uint64_t i,
                                       const struct engine_particle *particle){
    NEIGHBOURS_PARTICLE(ENGINE_NEIGHBOURS_PUT) NEIGHBOURS_OUTPUTS(ENGINE_NEIGHBOURS_PUT)}

/* How the neighbours of a particle see it. */
ENGINE_INLINE struct engine_seen
    engine_seen_of(const struct engine_space *space, const struct engine_particle *particle)
{
    struct engine_seen seen;
    for (int c = 0; c < NEIGHBOURS_AXES; c++)
        seen.place[c] = engine_place_of(space, c, (double) particle->position[c]);
#define ENGINE_NEIGHBOURS_SEE(type, name, components) \
    for (int c = 0; c < (components); c++) \
        seen.name[c] = (type) particle->name[c];
    NEIGHBOURS_SEEN(ENGINE_NEIGHBOURS_SEE)
    return seen;
}

ENGINE_INLINE int engine_particle_has_place(const struct engine_particle *particle)
{
    int has = 1;
    for (int c = 0; c < NEIGHBOURS_AXES; c++)
        has = has & engine_space_has((double) particle->position[c]);
    return has;
}

/* ---- Checks ------------------------------------------------------------------------------------------------------ */

static inline int engine_neighbours_check(const struct engine_call *call, uint32_t role, uint32_t index,
                                          const char *name, uint32_t components, size_t size, int real, int sign)
{
    static const unsigned char sizes[] = {1, 1, 2, 2, 4, 4, 8, 8, 4, 8, 8, 16};
    const uint32_t number = engine_neighbours_find(role, index);
    if (number == engine_plugin.fields.count)
        return ENGINE_FAIL(call->host, ENGINE_INTERNAL,
                           "member '%s' has no field: the plugin has only %u fields of this role", name, index);
    const struct engine_field *field = engine_neighbours_field(number);
    const uint32_t type = engine_field_shape(call->plan, number)->type;
    if (field->kind != ENGINE_PARTICLES || field->components != components)
        return ENGINE_FAIL(call->host, ENGINE_INTERNAL,
                           "the field '%s' of member '%s' has %u components; expected particles "
                           "with %u",
                           field->name, name, field->components, components);
    if (type > ENGINE_F64 || sizes[type] != size || (type >= ENGINE_F32) != real || (!real && (int) (type & 1) != sign))
        return ENGINE_FAIL(call->host, ENGINE_INTERNAL, "the type of member '%s' is not that of its field '%s'", name,
                           field->name);
    for (uint32_t i = 0; i < engine_plugin.fields.count; i++)
        if (i != number && engine_neighbours_field(i)->role == role &&
            strcmp(engine_neighbours_field(i)->name, name) == 0)
            return ENGINE_FAIL(call->host, ENGINE_INTERNAL,
                               "member '%s' has the place of field '%s'; put the members in the order of the fields",
                               name, field->name);
    return 0;
}

/* Checks that members and fields, and sums of `tally` and metrics correspond. */
static inline int engine_neighbours_check_all(const struct engine_call *call)
{
    uint32_t found[3] = {0, 0, 0}; /* of each role */
    int status = 0;
#define ENGINE_NEIGHBOURS_CHECK(role, type, name, components) \
    if (status == 0) \
        status = engine_neighbours_check(call, role, found[role]++, #name, components, sizeof(type), (type) 0.5 != 0, \
                                         (type) -1 / 2 == 0);
#define ENGINE_NEIGHBOURS_CHECK_STATE(type, name, n)  ENGINE_NEIGHBOURS_CHECK(ENGINE_STATE, type, name, n)
#define ENGINE_NEIGHBOURS_CHECK_INPUT(type, name, n)  ENGINE_NEIGHBOURS_CHECK(ENGINE_INPUT, type, name, n)
#define ENGINE_NEIGHBOURS_CHECK_OUTPUT(type, name, n) ENGINE_NEIGHBOURS_CHECK(ENGINE_OUTPUT, type, name, n)
    NEIGHBOURS_PARTICLE(ENGINE_NEIGHBOURS_CHECK_STATE)
    NEIGHBOURS_INPUTS(ENGINE_NEIGHBOURS_CHECK_INPUT)
    NEIGHBOURS_OUTPUTS(ENGINE_NEIGHBOURS_CHECK_OUTPUT)
    const uint32_t members = found[ENGINE_STATE] + found[ENGINE_INPUT] + found[ENGINE_OUTPUT];
    if (status == 0 && members != engine_plugin.fields.count)
        return ENGINE_FAIL(call->host, ENGINE_INTERNAL,
                           "there are %u members of particles; expected one for each of the %u fields", members,
                           engine_plugin.fields.count);
    if (status == 0 && engine_plugin.metrics.count != NEIGHBOURS_METRICS)
        return ENGINE_FAIL(call->host, ENGINE_INTERNAL, "the plugin has %u metrics; expected NEIGHBOURS_METRICS, %d",
                           engine_plugin.metrics.count, NEIGHBOURS_METRICS);
    return status;
}

/* The part of a divided run that the plan is about. */
static inline struct engine_part engine_neighbours_part(const struct engine_plan *plan)
{
#if ENGINE_MINOR >= 6
    return plan->part;
#else
    const struct engine_part whole = {0, 1, {0, 0, 0}, {0, 0, 0}};
    (void) plan;
    return whole;
#endif
}

static inline uint64_t engine_neighbours_count(const struct engine_plan *plan)
{
    return engine_field_shape(plan, engine_neighbours_find(ENGINE_STATE, 0))->extent[0];
}

static inline int engine_neighbours_probe(const struct engine_host *host, const struct engine_plan *plan)
{
    const uint64_t count = engine_neighbours_count(plan);
    if (count > 0x3fffffff)
        return ENGINE_FAIL(host, ENGINE_UNSUPPORTED, "%llu particles are too many; expected at most 2^30 - 1",
                           (unsigned long long) count);
    for (int c = 3; c < 6; c++)
        if (plan->box[c] < 0 || plan->box[c] > 0)
            return ENGINE_FAIL(host, ENGINE_UNSUPPORTED, "the box is skewed; expected three edges");
    return 0;
}

/* Reports the particle without a place: `lost` is its number, and `step` the step that it had taken, or NULL at the
 * start. */
static inline int engine_neighbours_lost(const struct engine_host *host, const uint64_t *step, uint64_t lost)
{
    if (!step)
        return ENGINE_FAIL(host, ENGINE_INVALID, "particle %llu: its position is not a number below 1e15",
                           (unsigned long long) lost);
    return -ENGINE_FAIL(host, ENGINE_INVALID, "step %llu: particle %llu: its position is no longer a number below 1e15",
                        (unsigned long long) *step, (unsigned long long) lost);
}

/* Particles whose contributions to metrics are added up in one piece, by 32 lanes. */
enum { ENGINE_TALLY_BLOCK = 1024 };

#endif
