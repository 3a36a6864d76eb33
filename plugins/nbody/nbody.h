/* What the implementations of nbody share: the fields, the parameters, and the physics of a step. The integrators are
 * defined below, at nbody_step_f32.
 *
 * N bodies attract each other by Newton's law, softened (Plummer's form):
 *
 *     a_i = g * sum over j of  m_j (x_j - x_i) / (|x_j - x_i|^2 + softening^2)^(3/2)
 *
 * A body does not attract itself: its own term is 0, also where the softening is 0.
 *
 * T is float or double, as `precision` says. It is the type of position, velocity, mass and acceleration, and of dt and
 * dt / 2 after rounding. Each implementation adds the terms in its own way. The complete sum is rounded to T. It
 * depends on the bodies alone, not on threads, blocks, devices or earlier calls. The field `acceleration` holds the
 * last acceleration that the last step used: at its final positions, for euler at its initial ones. */
#ifndef NBODY_NBODY_H
#define NBODY_NBODY_H

#ifndef ENGINE_MINOR
#define ENGINE_MINOR 6 /* for ENGINE_TEAMWORK */
#endif
#include <engine/plugin.h>

#include <math.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The fields, in the order of the plugin's table: three numbers a body, three, one, three. */
enum { NBODY_POSITION, NBODY_VELOCITY, NBODY_MASS, NBODY_ACCELERATION, NBODY_FIELDS };

/* The parameters, in the order of the plugin's table. nbody-tree has those before NBODY_FORM, and then its own. */
enum {
    NBODY_DT,
    NBODY_SOFTENING,
    NBODY_G,
    NBODY_INTEGRATOR,
    NBODY_PRECISION,
    NBODY_SIZE,
    NBODY_TOTAL_MASS,
    NBODY_ECCENTRICITY,
    NBODY_TIME_STEP,
    NBODY_ETA,
    NBODY_FORM,
    NBODY_INSTRUCTIONS,
    NBODY_BLOCK_SIZE,
    NBODY_BLOCK_STRIDE,
    NBODY_UNROLL
};

/* Choices of integrator, time step, precision and form. */
enum { NBODY_EULER, NBODY_LEAPFROG, NBODY_HERMITE };
enum { NBODY_FIXED, NBODY_ADAPTIVE };
enum { NBODY_FLOAT, NBODY_DOUBLE };
enum { NBODY_AUTO, NBODY_PLAIN, NBODY_PAIRS };

/* The metrics, in the order of the plugin's table. */
enum {
    NBODY_KINETIC,
    NBODY_POTENTIAL,
    NBODY_ENERGY,
    NBODY_MOMENTUM,                              /* x, y, z */
    NBODY_ANGULAR_MOMENTUM = NBODY_MOMENTUM + 3, /* x, y, z; about the origin */
    NBODY_CENTER = NBODY_ANGULAR_MOMENTUM + 3,   /* x, y, z; of mass */
    NBODY_VIRIAL_RATIO = NBODY_CENTER + 3,       /* -2 kinetic / potential; 0 where nothing attracts */
    NBODY_METRICS
};

#ifdef __CUDACC__
#define NBODY_INLINE static inline __host__ __device__
#else
#define NBODY_INLINE static inline
#endif

/* The integrators. Once the sum of the forces is rounded to T, all implementations do the same operations. Each is a
 * fused multiply-add, by nbody_step_f32 or nbody_step_f64:
 *
 *     euler      a = a(x);  v = dt * a + v;  x = dt * v + x
 *     leapfrog   v = dt/2 * a + v;  x = dt * v + x;  a = a(x);  v = dt/2 * a + v
 *     hermite    x' = dt * (dt/2 * (dt/3 * j + a) + v) + x;  v' = dt * (dt/2 * j + a) + v;  a', j' = a, j(x', v')
 *                w = v;  v = dt/2 * (a + a') + (dt^2/12 * (j - j') + v);  x = dt/2 * (w + v) + (dt^2/12 * (a - a') + x)
 *                a, j = a, j(x, v)
 *
 * Leapfrog is kick-drift-kick. The two half kicks between two drifts are two roundings, so that k calls of one step
 * give the bits of one call of k steps. Its first a is that of the step before; on ENGINE_CALL_FRESH a(x) is computed
 * again, which gives the same bits. Hermite is of fourth order (Makino and Aarseth, Publications of the Astronomical
 * Society of Japan 44 (1992) 141); j is the jerk, da/dt. It evaluates a and j at the corrected positions too, so that a
 * step needs nothing but the state. With time_step = adaptive, a step of dt is divided: see cpu_hermite.c. */

/* value + h * rate, rounded once: a kick (h = dt or dt / 2) or a drift (h = dt). */
NBODY_INLINE float nbody_step_f32(float h, float rate, float value)
{
    return fmaf(h, rate, value);
}

NBODY_INLINE double nbody_step_f64(double h, double rate, double value)
{
    return fma(h, rate, value);
}

/* Bodies on a GPU at most: numbers of blocks and indices then stay below 2^31. */
enum { NBODY_CUDA_BODIES_MAX = 1 << 24 };

/* The least softening but 0: 1 / softening^3 is finite in the precision. */
static inline double nbody_least_softening(uint32_t precision)
{
    return precision == NBODY_FLOAT ? 1e-12 : 1e-100;
}

/* The plan, read once. */
struct nbody_plan {
    uint64_t count; /* of bodies */
    double dt, softening, g;
    double eta;          /* of adaptive steps */
    uint32_t integrator; /* NBODY_EULER … */
    uint32_t time_step;  /* NBODY_FIXED … */
    uint32_t precision;  /* NBODY_FLOAT … */
    uint32_t form;       /* NBODY_AUTO … */
};

/* Bytes of a number of the plan's precision. */
static inline size_t nbody_number_bytes(const struct nbody_plan *plan)
{
    return plan->precision == NBODY_DOUBLE ? sizeof(double) : sizeof(float);
}

/* A field's numbers in origin[current]. */
static inline void *nbody_origin(const struct engine_call *call, uint32_t field)
{
    return engine_field_buffer(call, field)->origin[call->current];
}

/* The same but for `form`, which other plugins with these fields lack. */
static inline struct nbody_plan nbody_common_plan(const struct engine_plan *plan)
{
    struct nbody_plan p;
    p.form = NBODY_AUTO;
    p.count = engine_field_shape(plan, NBODY_POSITION)->extent[0];
    p.dt = engine_param_real(plan, NBODY_DT);
    p.softening = engine_param_real(plan, NBODY_SOFTENING);
    p.g = engine_param_real(plan, NBODY_G);
    p.eta = engine_param_real(plan, NBODY_ETA);
    p.integrator = (uint32_t) engine_param_choice(plan, NBODY_INTEGRATOR);
    p.time_step = (uint32_t) engine_param_choice(plan, NBODY_TIME_STEP);
    p.precision = (uint32_t) engine_param_choice(plan, NBODY_PRECISION);
    return p;
}

static inline struct nbody_plan nbody_plan(const struct engine_plan *plan)
{
    struct nbody_plan p = nbody_common_plan(plan);
    p.form = (uint32_t) engine_param_choice(plan, NBODY_FORM);
    return p;
}

/* ---- bodies.c: bodies in host memory, in any layout -------------------------------------------------------------- */

/* One field. Component c of body i is number i * body_stride + c * component_stride, of type float or double. */
struct nbody_array {
    const void *at;
    int64_t body_stride, component_stride; /* in numbers */
};

/* Bodies in host memory. */
struct nbody_bodies {
    uint64_t count;
    uint32_t precision;
    struct nbody_array position, velocity, mass;
};

/* The bodies of a call whose buffers are in host memory, in origin[current]. */
struct nbody_bodies nbody_host_bodies(const struct engine_call *call);

/* Start. ENGINE_INVALID, with the number of the body, for a position, velocity or mass that is not finite, a negative
 * mass and, where the softening is 0, two bodies at the same position of which one has a mass. ENGINE_NO_MEMORY.
 * *meet: the softening is 0, and bodies without mass are at the same position. */
int nbody_check_bodies(const struct engine_host *host, const struct engine_plan *plan,
                       const struct nbody_bodies *bodies, int *meet);

/* Run. Sets the metrics that need no pairs: kinetic, momentum, angular_momentum and center; the others to 0.
 * ENGINE_INVALID where a position or velocity is no longer finite. */
int nbody_measure_bodies(const struct engine_host *host, const struct nbody_bodies *bodies,
                         double values[NBODY_METRICS]);

/* Sets potential, energy and virial_ratio, after nbody_measure_bodies. */
void nbody_set_potential(double potential, double values[NBODY_METRICS]);

/* ---- generate.c -------------------------------------------------------------------------------------------------- */

enum { NBODY_CUBE, NBODY_PLUMMER, NBODY_SHELL, NBODY_ORBIT, NBODY_GALAXIES };

int nbody_generate(const struct engine_host *host, const struct engine_plan *plan, uint32_t generator, uint32_t field,
                   uint64_t begin, uint64_t count, void *out);

/* ---- cpu_serial.c, cpu.c ----------------------------------------------------------------------------------------- */

int nbody_serial_create(const struct engine_call *call, void **self);
int nbody_serial_cost(const struct engine_host *host, const struct engine_plan *plan, struct engine_cost *cost);
int nbody_solver_advance(void *self, struct engine_call *call);
int nbody_serial_measure(void *self, const struct engine_call *call, double *values);

int nbody_cpu_probe(const struct engine_host *host, const struct engine_plan *plan);
int nbody_cpu_create(const struct engine_call *call, void **self);
int nbody_cpu_measure(void *self, const struct engine_call *call, double *values);
int nbody_cpu_cost(const struct engine_host *host, const struct engine_plan *plan, struct engine_cost *cost);

/* ---- cuda*.cu ---------------------------------------------------------------------------------------------------- */

/* The implementations differ in the instance that create makes. */
int nbody_cuda_basic_create(const struct engine_call *call, void **self);
int nbody_cuda_text_create(const struct engine_call *call, void **self);
int nbody_cuda_shared_create(const struct engine_call *call, void **self);
int nbody_cuda_create(const struct engine_call *call, void **self);
int nbody_cuda_advance(void *self, struct engine_call *call);
int nbody_cuda_measure(void *self, const struct engine_call *call, double *values);
int nbody_cuda_plain_cost(const struct engine_host *host, const struct engine_plan *plan, struct engine_cost *cost);
int nbody_cuda_cost(const struct engine_host *host, const struct engine_plan *plan, struct engine_cost *cost);

#ifdef __cplusplus
}
#endif

#endif
