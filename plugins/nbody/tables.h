/* What nbody and the plugins with the same fields declare alike: parameters, fields, metrics, generators and checks. */
#ifndef NBODY_TABLES_H
#define NBODY_TABLES_H

#include "nbody.h"

static const char *const nbody_integrators[] = {"euler", "leapfrog", "hermite",
                                                NULL}; /* in the order of NBODY_EULER … */
static const char *const nbody_time_steps[] = {"fixed", "adaptive", NULL};
static const char *const nbody_precisions[] = {"float", "double", NULL};

#define NBODY_LARGEST 1e30 /* a parameter at most: products of a few are far from the largest double */

/* The parameters before NBODY_FORM. */
#define NBODY_COMMON_PARAMS \
    [NBODY_DT] = {ENGINE_REAL_PARAM("dt", "time step; a negative time step runs backwards", "0.001", -NBODY_LARGEST, \
                                    NBODY_LARGEST), \
                  .unit = "time"}, \
    [NBODY_SOFTENING] = {ENGINE_REAL_PARAM( \
                             "softening", \
                             "softening length e: the force law has distance^2 + e^2 instead of distance^2", "0.05", \
                             0, NBODY_LARGEST), \
                         .unit = "length"}, \
    [NBODY_G] = {ENGINE_REAL_PARAM("g", "gravitational constant, in the units of the input", "1", -NBODY_LARGEST, \
                                   NBODY_LARGEST)}, \
    [NBODY_INTEGRATOR] = {ENGINE_CHOICE_PARAM( \
        "integrator", \
        "euler: symplectic Euler, first order; leapfrog: kick-drift-kick, second " \
        "order; hermite: fourth order, two force evaluations per step, CPU only", \
        "leapfrog", nbody_integrators)}, \
    [NBODY_PRECISION] = {ENGINE_CHOICE_PARAM("precision", "type of positions, velocities, masses and arithmetic", \
                                             "float", nbody_precisions)}, \
    [NBODY_SIZE] = {ENGINE_REAL_PARAM( \
                        "size", \
                        "generators: edge of the cube, virial radius of a sphere, radius of the shell, semi-major " \
                        "axis of the orbit", \
                        "1", 1e-30, NBODY_LARGEST), \
                    .unit = "length"}, \
    [NBODY_TOTAL_MASS] = {ENGINE_REAL_PARAM("total_mass", \
                                            "generators: total mass of all bodies; 0: source = cube gives each body " \
                                            "mass 1, and the others give all bodies together mass 1", \
                                            "0", 0, NBODY_LARGEST), \
                          .unit = "mass"}, \
    [NBODY_ECCENTRICITY] = {ENGINE_REAL_PARAM("eccentricity", "generator orbit: eccentricity; 0 is a circle", "0.5", \
                                              0, 0.999)}, \
    [NBODY_TIME_STEP] = {ENGINE_CHOICE_PARAM( \
        "time_step", "hermite: fixed: dt; adaptive: dt / 2^k, shared by all bodies, with k chosen from the motion", \
        "fixed", nbody_time_steps)}, \
    [NBODY_ETA] = {ENGINE_REAL_PARAM( \
        "eta", "time_step = adaptive: Aarseth's accuracy parameter; a step is proportional to its square root", \
        "0.01", 1e-8, 1)}

static const struct engine_field nbody_fields[] = {
    [NBODY_POSITION] = {ENGINE_PARTICLE_FIELD("position", "position of each body", ENGINE_STATE, ENGINE_F32, 3)},
    [NBODY_VELOCITY] = {ENGINE_PARTICLE_FIELD("velocity", "velocity of each body", ENGINE_STATE, ENGINE_F32, 3)},
    [NBODY_MASS] = {ENGINE_PARTICLE_FIELD("mass",
                                          "mass of each body; a body of mass 0 is attracted and does not attract",
                                          ENGINE_INPUT, ENGINE_F32, 1),
                    .initial = 1},
    [NBODY_ACCELERATION] = {ENGINE_PARTICLE_FIELD(
        "acceleration", "last acceleration of each body that the last step used; 0 before the first step",
        ENGINE_OUTPUT, ENGINE_F32, 3)},
};

#define ALONG(index, word, text) \
    [index] = {ENGINE_METRIC(word "_x", NULL, text ", along x")}, \
    [(index) + 1] = {ENGINE_METRIC(word "_y", NULL, text ", along y")}, \
    [(index) + 2] = {ENGINE_METRIC(word "_z", NULL, text ", along z")}

static const struct engine_metric nbody_metrics[] = {
    [NBODY_KINETIC] = {ENGINE_METRIC("kinetic", NULL, "kinetic energy")},
    [NBODY_POTENTIAL] = {ENGINE_METRIC("potential", NULL, "potential energy of all pairs, softened like the force")},
    [NBODY_ENERGY] = {ENGINE_METRIC("energy", NULL, "kinetic + potential")},
    ALONG(NBODY_MOMENTUM, "momentum", "momentum of all bodies"),
    ALONG(NBODY_ANGULAR_MOMENTUM, "angular_momentum", "angular momentum about the origin"),
    ALONG(NBODY_CENTER, "center", "center of mass"),
    [NBODY_VIRIAL_RATIO] = {ENGINE_METRIC("virial_ratio", NULL, "-2 kinetic / potential: 1 in equilibrium")},
};

static const struct engine_generator nbody_generators[] = {
    [NBODY_CUBE] = {ENGINE_GENERATOR("cube", "at rest, uniform in a cube about the origin")},
    [NBODY_PLUMMER] = {ENGINE_GENERATOR("plummer", "Plummer's sphere in equilibrium")},
    [NBODY_SHELL] = {ENGINE_GENERATOR("shell", "at rest, uniform on a sphere, which collapses")},
    [NBODY_ORBIT] = {ENGINE_GENERATOR("orbit", "two bodies on a Kepler orbit, at their smallest distance")},
    [NBODY_GALAXIES] = {ENGINE_GENERATOR("galaxies", "two disks in halos, shortly before they meet")},
};

/* Vectors as three arrays, x, y and z. */
static int nbody_planar_layout(const struct engine_host *host, const struct engine_plan *plan, uint32_t field,
                               struct engine_layout *layout)
{
    (void) host, (void) plan, (void) field;
    layout->planar = 1;
    return 0;
}

static int nbody_shape(const struct engine_host *host, const struct engine_plan *plan, uint32_t field, uint64_t step,
                       struct engine_shape *shape)
{
    (void) host, (void) field, (void) step;
    if (engine_param_choice(plan, NBODY_PRECISION) == NBODY_DOUBLE)
        shape->type = ENGINE_F64;
    return 0;
}

/* The rule for adaptive steps needs the change of forces with time. */
static int nbody_check(const struct engine_host *host, const struct engine_plan *plan)
{
    const struct nbody_plan p = nbody_common_plan(plan);
    const double least = nbody_least_softening(p.precision);
    if (plan->box[0] > 0 || plan->box[1] > 0 || plan->box[2] > 0)
        host->message(host, ENGINE_LOG_WARNING,
                      "the periodic box %g %g %g has no effect: bodies have no periodic images, and attract each other "
                      "at any distance; set [particles] box = 0 0 0 if this is meant",
                      plan->box[0], plan->box[1], plan->box[2]);
    if (p.time_step == NBODY_ADAPTIVE && p.integrator != NBODY_HERMITE)
        return ENGINE_FAIL(host, ENGINE_INVALID, "time_step = adaptive needs integrator = hermite instead of %s",
                           nbody_integrators[p.integrator]);
    if (p.softening == 0 || p.softening >= least)
        return 0;
    return ENGINE_FAIL(host, ENGINE_INVALID,
                       "softening = %g is too small for precision = %s; expected 0, or at least %g", p.softening,
                       nbody_precisions[p.precision], least);
}

/* N^2 interactions, as is usual: each pair counts twice, and each body with itself once. A tree has the same
 * unit, so that rates can be compared. */
static int nbody_work(const struct engine_host *host, const struct engine_plan *plan, struct engine_work *work)
{
    (void) host;
    const double count = (double) engine_field_shape(plan, NBODY_POSITION)->extent[0];
    work->unit = "interactions";
    work->per_step = count * count;
    return 0;
}

#endif
