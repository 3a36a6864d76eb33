/* The integrator of fourth order (nbody.h), with a fixed step and with one that follows the motion.
 *
 * The adaptive step is shared by all bodies. A step of the engine takes dt. It is divided into steps of dt / 2^level,
 * which begin at multiples of their own length:
 *
 *     level 0   |-------------------------------|   level 1 |---------------|---------------|   level 2 |-------| …
 *
 * The length that is allowed at a body (Aarseth, in "Multiple Time Scales", Academic Press 1985, 377) is
 *
 *     h^2 <= eta (|a| |s| + |j|^2) / (|j| |c| + |s|^2)
 *
 * where a, j, s, c are the acceleration and its first three derivatives. A step is allowed by all bodies at its start
 * and at its end, so that it would be the same for time that runs backwards (Makino, Hut, Kaplan and Saygin, New
 * Astronomy 12 (2006) 124). s and c come from a and j at both ends, so a step is tried: if the end does not allow it,
 * the bodies stay where they are and the next trial is shorter. Only the lengths of earlier steps within the same dt
 * decide what is tried. So dt begins in the same way whether it follows another or a checkpoint, and the bits depend on
 * the state alone. */
#include "cpu.h"

enum { MOST_DEEPER = 2 };

/* Indices of solver->vectors. */
enum { JERK = NBODY_JERK, PREDICTED_POSITION, PREDICTED_VELOCITY, NEXT_ACCELERATION, NEXT_JERK };

#define HERMITE(real, multiply_add) \
    static void predict_##real(uint64_t count, double h, void *const *vectors, const struct nbody_state *at) \
    { \
        const real dt = (real) h, half = dt / 2, third = dt / 3; \
        const real *x = (const real *) at->position, *v = (const real *) at->velocity; \
        const real *a = (const real *) at->acceleration, *j = (const real *) vectors[JERK]; \
        real *to_x = (real *) vectors[PREDICTED_POSITION], *to_v = (real *) vectors[PREDICTED_VELOCITY]; \
        for (uint64_t i = 0; i < count; i++) { \
            to_x[i] = multiply_add(dt, multiply_add(half, multiply_add(third, j[i], a[i]), v[i]), x[i]); \
            to_v[i] = multiply_add(dt, multiply_add(half, j[i], a[i]), v[i]); \
        } \
    } \
\
    static void correct_##real(uint64_t count, double h, void *const *vectors, const struct nbody_state *at) \
    { \
        const real dt = (real) h, half = dt / 2, twelfth = dt * dt / 12; \
        const real *a = (const real *) at->acceleration, *j = (const real *) vectors[JERK]; \
        const real *next_a = (const real *) vectors[NEXT_ACCELERATION], *next_j = (const real *) vectors[NEXT_JERK]; \
        real *x = (real *) at->position, *v = (real *) at->velocity; \
        for (uint64_t i = 0; i < count; i++) { \
            const real old = v[i]; \
            v[i] = multiply_add(half, a[i] + next_a[i], multiply_add(twelfth, j[i] - next_j[i], old)); \
            x[i] = multiply_add(half, old + v[i], multiply_add(twelfth, a[i] - next_a[i], x[i])); \
        } \
    }

HERMITE(float, fmaf)
HERMITE(double, fma)

/* ---- One step --------------------------------------------------------------------------------------------------- */

/* Predicts the bodies after a time h, and computes the forces there. */
static int predict(struct nbody_solver *solver, const struct engine_call *call, const struct nbody_state *at, double h)
{
    void *const *vectors = solver->vectors;
    const int wide = solver->plan.precision == NBODY_DOUBLE;
    (wide ? predict_double : predict_float)(3 * solver->plan.count, h, vectors, at);
    return solver->forces(solver, call, vectors[PREDICTED_POSITION], vectors[PREDICTED_VELOCITY],
                          vectors[NEXT_ACCELERATION], vectors[NEXT_JERK]);
}

/* Moves the bodies, and computes the forces on them. */
static int correct(struct nbody_solver *solver, const struct engine_call *call, const struct nbody_state *at, double h)
{
    const int wide = solver->plan.precision == NBODY_DOUBLE;
    (wide ? correct_double : correct_float)(3 * solver->plan.count, h, solver->vectors, at);
    return solver->forces(solver, call, at->position, at->velocity, at->acceleration, solver->vectors[JERK]);
}

int nbody_hermite(struct nbody_solver *solver, const struct engine_call *call, const struct nbody_state *at)
{
    const int status = predict(solver, call, at, solver->plan.dt);
    return status ? status : correct(solver, call, at, solver->plan.dt);
}

/* ---- The length of a step ---------------------------------------------------------------------------------------- */

static double number_at(const struct nbody_solver *solver, const void *vectors, uint64_t i)
{
    return solver->plan.precision == NBODY_DOUBLE ? ((const double *) vectors)[i]
                                                  : (double) ((const float *) vectors)[i];
}

/* (|j| |c| + |s|^2) / (|a| |s| + |j|^2) of the squares of a, j, s, c. With h as the unit of time, eta must not be
 * less. */
static double excess(const double squares[4])
{
    const double a = sqrt(squares[0]), j = sqrt(squares[1]), s = sqrt(squares[2]), c = sqrt(squares[3]);
    const double above = j * c + s * s;
    return above > 0 ? above / (a * s + j * j) : 0;
}

/* The larger one of both ends of the step h that was tried. With h as the unit of time,
 *
 *     s0 = 6 (a1 - a0) - 4 j0 - 2 j1        c = 12 (a0 - a1) + 6 (j0 + j1)        s1 = s0 + c */
static double excess_at(const struct nbody_solver *solver, const struct nbody_state *at, uint64_t body, double h)
{
    double start[4] = {0}, end[4] = {0};
    for (uint64_t k = 0; k < 3; k++) {
        const uint64_t i = body * solver->body_stride + k * solver->component_stride;
        const double a = number_at(solver, at->acceleration, i), j = h * number_at(solver, solver->vectors[JERK], i);
        const double next_a = number_at(solver, solver->vectors[NEXT_ACCELERATION], i);
        const double next_j = h * number_at(solver, solver->vectors[NEXT_JERK], i);
        const double s = 6 * (next_a - a) - 4 * j - 2 * next_j, c = 12 * (a - next_a) + 6 * (j + next_j);
        start[0] += a * a, start[1] += j * j, start[2] += s * s, start[3] += c * c;
        end[0] += next_a * next_a, end[1] += next_j * next_j, end[2] += (s + c) * (s + c), end[3] += c * c;
    }
    return fmax(excess(start), excess(end));
}

/* How many levels deeper the step that was tried should be; below 0 if it may be longer. The derivatives of a step that
 * is far too long are far too large, so the result is at most MOST_DEEPER. Where numbers are no longer finite, it is 0:
 * metrics report them. */
static int levels_missing(const struct nbody_solver *solver, const struct nbody_state *at, double h)
{
    double most = 0;
    int levels = 0;
    for (uint64_t i = 0; i < solver->plan.count; i++)
        most = fmax(most, excess_at(solver, at, i, h));
    for (; isfinite(most) && most > solver->plan.eta && levels < MOST_DEEPER; most /= 4)
        levels++;
    for (; 4 * most <= solver->plan.eta && levels > -NBODY_LEVELS; most *= 4)
        levels--;
    return levels;
}

/* ---- Steps that follow the motion -------------------------------------------------------------------------------- */

/* Shorter steps than at this level would hardly move bodies in floats. */
static int deepest_allowed(const struct nbody_solver *solver)
{
    return solver->plan.precision == NBODY_DOUBLE ? NBODY_LEVELS : NBODY_LEVELS_OF_FLOATS;
}

static int too_deep(const struct nbody_solver *solver, const struct engine_call *call)
{
    return -ENGINE_FAIL(
        call->host, ENGINE_INVALID,
        "time_step = adaptive: bodies are so close that a step is shorter than dt / 2^%d; set a softening%s "
        "or a smaller dt",
        deepest_allowed(solver), solver->plan.precision == NBODY_DOUBLE ? "" : ", precision = double");
}

static void note_steps(const struct engine_call *call, const struct nbody_steps *steps)
{
    call->host->note(call->host, "substeps", "%llu of dt / 2^%d or longer; %llu more were tried",
                     (unsigned long long) steps->taken, steps->deepest, (unsigned long long) steps->rejected);
}

int nbody_hermite_adaptive(struct nbody_solver *solver, const struct engine_call *call, const struct nbody_state *at)
{
    const uint64_t whole = (uint64_t) 1 << NBODY_LEVELS; /* dt, in units of the shortest step */
    struct nbody_steps *steps = &solver->steps;
    int level = 0;
    for (uint64_t done = 0; done < whole;) {
        const double h = ldexp(solver->plan.dt, -level);
        int status = predict(solver, call, at, h), missing = status ? 0 : levels_missing(solver, at, h);
        steps->rejected += missing > 0;
        level += missing > 0 ? missing : 0;
        if (level > deepest_allowed(solver))
            return too_deep(solver, call);
        if (missing > 0)
            continue;
        status = status ? status : correct(solver, call, at, h);
        if (status != 0)
            return status;
        done += whole >> level;
        steps->taken++;
        steps->deepest = level > steps->deepest ? level : steps->deepest;
        for (; missing < 0 && level > 0 && done % (whole >> (level - 1)) == 0; missing++)
            level--;
    }
    note_steps(call, steps);
    return 0;
}
