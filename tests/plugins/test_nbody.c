/* Compares nbody with sums in long double, Kepler's orbit, conservation laws, and the properties of Plummer's
 * sphere. */
#include "bodies.h"

#include <engine/random.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- Forces ----------------------------------------------------------------------------------------------------- */

/* Errors of the vectors relative to their own size, ascending; g is 2.5. Of more than 10000 bodies some are looked at,
 * the others have no error. */
static double *force_errors(const char *impl, const char *settings, double softening)
{
    char all[512];
    struct run run;
    snprintf(all, sizeof all, "%s nbody.softening=%.17g nbody.integrator=euler nbody.g=2.5", settings, softening);
    open_run(&run, impl, all);
    const uint64_t count = bodies(&run);
    double *x = numbers(&run, NBODY_POSITION), *mass = numbers(&run, NBODY_MASS);
    advance(&run, 1);
    double *is = numbers(&run, NBODY_ACCELERATION), *errors = calloc(count, sizeof *errors);
    for (uint64_t i = 0; i<count; i += count> 10000 ? 131 : 1) {
        long double should[3], error = 0, size = 0;
        attraction(x, mass, count, i, softening, should);
        for (int c = 0; c < 3; c++) {
            error = hypotl(error, is[3 * i + c] - 2.5L * should[c]);
            size = hypotl(size, 2.5L * should[c]);
        }
        errors[i] = (double) (error == 0 ? 0 : error / size);
    }
    qsort(errors, count, sizeof *errors, ascending);
    free(x), free(mass), free(is);
    close_run(&run);
    return errors;
}

static void expect_forces(const char *impl, uint64_t count, const char *settings, double softening, double most)
{
    char all[512], what[600];
    snprintf(all, sizeof all, "particles.count=%llu %s", (unsigned long long) count, settings);
    snprintf(what, sizeof what, "%s %s, softening %g: the largest error", impl, all, softening);
    double *errors = force_errors(impl, all, softening);
    expect_near(what, errors[count - 1], 0, most);
    free(errors);
}

/* Sizes around those of vectors and blocks, with and without softening; instruction sets that this machine lacks are
 * left out. */
static void forces_are_those_of_a_long_sum(void **state)
{
    (void) state;
    static const uint64_t counts[] = {1, 2, 3, 15, 17, 63, 65, 129, 1000};
    static const char *const sets[] = {"avx512", "avx2", "plain"}, *const forms[] = {"plain", "pairs"};
    for (size_t n = 0; n < sizeof counts / sizeof counts[0]; n++)
        for (int softened = 0; softened < 2; softened++)
            for (int wide = 0; wide < 2; wide++) {
                const double most = wide ? 1e-12 : 2e-5;
                char settings[256];
                snprintf(settings, sizeof settings, "init.source=plummer nbody.precision=%s",
                         wide ? "double" : "float");
                expect_forces("cpu-serial", counts[n], settings, softened ? 0.02 : 0, wide ? 1e-13 : 2e-7);
                for (int kind = 0; kind < 6; kind++) {
                    if ((kind < 2 && !__builtin_cpu_supports("avx512dq")) ||
                        (kind < 4 && !__builtin_cpu_supports("fma")))
                        continue;
                    snprintf(settings, sizeof settings,
                             "init.source=plummer nbody.precision=%s nbody.instructions=%s nbody.form=%s",
                             wide ? "double" : "float", sets[kind / 2], forms[kind % 2]);
                    expect_forces("cpu", counts[n], settings, softened ? 0.02 : 0, most);
                }
            }
}

static void forces_of_4096_bodies_keep_the_promise(void **state)
{
    (void) state;
    static const char *const forms[] = {"plain", "pairs"};
    for (int f = 0; f < 2; f++) {
        char settings[256];
        snprintf(settings, sizeof settings, "particles.count=4096 init.source=plummer nbody.form=%s", forms[f]);
        double *errors = force_errors("cpu", settings, 0.01);
        expect_near("median error", errors[2048], 0, 1e-6);
        expect_near("99.9th percentile", errors[4092], 0, 1e-5);
        free(errors);
    }
}

/* Several blocks, the last of them short. */
static void forces_of_many_blocks(void **state)
{
    (void) state;
    expect_forces("cpu", 4097, "init.source=cube nbody.precision=double nbody.form=pairs", 0.01, 1e-12);
    expect_forces("cpu", 4097, "init.source=cube nbody.precision=double nbody.form=plain", 0.01, 1e-12);
}

/* So many that the rounds of pairs are cut into phases. */
static void forces_of_several_phases(void **state)
{
    (void) state;
    expect_forces("cpu", 65537, "init.source=cube nbody.form=pairs", 0.01, 1e-4);
}

/* ---- Two bodies ------------------------------------------------------------------------------------------------- */

/* Masses of 1/2 at distance 1: the period is 2 pi. */
#define ORBIT "particles.count=2 init.source=orbit nbody.precision=double nbody.softening=0 "

static void open_orbit(struct run *run, const char *impl, const char *integrator, uint64_t steps_a_period)
{
    char settings[256];
    snprintf(settings, sizeof settings, ORBIT "nbody.integrator=%s nbody.dt=%.17g", integrator,
             2 * 3.14159265358979323846 / (double) steps_a_period);
    open_run(run, impl, settings);
}

/* Distance of the first body from where it began, after a period. */
static double closing_error(const char *impl, const char *integrator, uint64_t steps)
{
    struct run run;
    open_orbit(&run, impl, integrator, steps);
    double *before = numbers(&run, NBODY_POSITION);
    advance(&run, steps);
    double *after = numbers(&run, NBODY_POSITION);
    const double error = hypot(after[0] - before[0], after[1] - before[1]);
    free(before), free(after);
    close_run(&run);
    return error;
}

/* Largest error of the energy over a period, from step `begin` on. */
static double energy_error(const char *integrator, uint64_t steps, uint64_t begin)
{
    struct run run;
    double values[NBODY_METRICS], error = 0;
    open_orbit(&run, "cpu", integrator, steps);
    measure(&run, values);
    const double energy = values[NBODY_ENERGY];
    expect_near("energy of the orbit", energy, -0.125, 1e-15);
    if (begin)
        advance(&run, begin);
    for (uint64_t step = 0; step < steps; step++) {
        advance(&run, 1);
        measure(&run, values);
        error = fmax(error, fabs(values[NBODY_ENERGY] - energy));
    }
    close_run(&run);
    return error;
}

static void orbits_close(void **state)
{
    (void) state;
    static const char *const impls[] = {"cpu-serial", "cpu"};
    for (int i = 0; i < 2; i++) {
        const double coarse = closing_error(impls[i], "leapfrog", 2000),
                     fine = closing_error(impls[i], "leapfrog", 4000);
        expect_near("closing error", fine, 0, 1e-4);
        expect_near("leapfrog's closing error at twice the step", coarse / fine, 4, 0.1);
        const double loose = closing_error(impls[i], "hermite", 500), tight = closing_error(impls[i], "hermite", 1000);
        expect_near("hermite's closing error", tight, 0, 1e-6);
        expect_near("hermite's closing error at twice the step", loose / tight, 16, 2);
    }
}

static void energy_errors_follow_the_order(void **state)
{
    (void) state;
    expect_near("leapfrog", energy_error("leapfrog", 1000, 0) / energy_error("leapfrog", 2000, 0), 4, 0.1);
    expect_near("euler", energy_error("euler", 1000, 0) / energy_error("euler", 2000, 0), 2, 0.1);
    expect_near("hermite", energy_error("hermite", 500, 0) / energy_error("hermite", 1000, 0), 16, 3);
}

static void leapfrog_does_not_drift(void **state)
{
    (void) state;
    const double first = energy_error("leapfrog", 500, 0), last = energy_error("leapfrog", 500, 10000);
    expect_near("energy error after 10000 steps", last / first, 1, 0.02);
}

/* ---- Adaptive steps --------------------------------------------------------------------------------------------- */

#define ADAPTIVE "nbody.integrator=hermite nbody.time_step=adaptive nbody.precision=double "

/* Evaluations of all forces, from the note "… of dt / 2^… or longer; … more were tried". */
static uint64_t evaluations(const struct run *run)
{
    const struct host *host = instance_host(run->candidate.instance);
    unsigned long long taken = 0, tried = 0;
    for (uint32_t i = 0; i < host->note_count; i++)
        if (strcmp(host->notes[i].key, "substeps") == 0)
            assert_int_equal(sscanf(host->notes[i].text, "%llu of dt / 2^%*d or longer; %llu", &taken, &tried), 2);
    return 2 * taken + tried;
}

/* A period of Kepler's orbit of eccentricity 0.9 in 8 steps of the engine: distances of the first body from its places
 * at the largest distance, after half of it, and where it began. Returns the evaluations. */
static uint64_t thin_orbit(const char *settings, uint64_t steps, double errors[2])
{
    char all[512];
    struct run run;
    snprintf(all, sizeof all,
             "particles.count=2 init.source=orbit nbody.softening=0 nbody.eccentricity=0.9 nbody.dt=%.17g %s",
             2 * 3.14159265358979323846 / (double) steps, settings);
    open_run(&run, "cpu", all);
    for (int half = 0; half < 2; half++) {
        advance(&run, steps / 2);
        double *x = numbers(&run, NBODY_POSITION);
        errors[half] = hypot(x[0] - (half ? -0.5 * 0.1 : 0.5 * 1.9), x[1]);
        free(x);
    }
    const uint64_t count = evaluations(&run);
    close_run(&run);
    return count;
}

static void adaptive_steps_follow_a_thin_orbit(void **state)
{
    (void) state;
    double loose[2], tight[2], fixed[2];
    char settings[256];
    const uint64_t count = thin_orbit(ADAPTIVE "nbody.eta=0.01", 8, loose);
    const uint64_t steps = (count + 3) / 4 * 2;
    thin_orbit("nbody.integrator=hermite nbody.precision=double", steps, fixed);
    thin_orbit(ADAPTIVE "nbody.eta=0.000625", 8, tight);
    for (int half = 0; half < 2; half++) {
        snprintf(settings, sizeof settings, "distance after %d halves of a period", half + 1);
        expect_near(settings, loose[half], 0, 1e-3);
        assert_true(fixed[half] > 20 * loose[half]); /* with as many evaluations */
        expect_near("a quarter of the step makes an error of 1/256", loose[half] / tight[half], 256, 128);
    }
}

/* Units: mass, gravity and virial radius 1, so a crossing time is sqrt(8). Returns the change of the energy, as a
 * share. */
static double drift_of_a_sphere(const char *settings, uint64_t steps, uint64_t *count)
{
    char all[512];
    struct run run;
    double before[NBODY_METRICS], after[NBODY_METRICS];
    snprintf(all, sizeof all, "particles.count=64 init.source=plummer nbody.softening=0.02 nbody.dt=%.17g %s",
             10 * sqrt(8) / (double) steps, settings);
    open_run(&run, "cpu", all);
    measure(&run, before);
    advance(&run, steps);
    measure(&run, after);
    *count = evaluations(&run);
    close_run(&run);
    return fabs(after[NBODY_ENERGY] / before[NBODY_ENERGY] - 1);
}

static void adaptive_steps_hold_the_energy_of_a_sphere(void **state)
{
    (void) state;
    uint64_t count, ignored;
    const double drift = drift_of_a_sphere(ADAPTIVE "nbody.eta=0.04", 100, &count);
    const double fixed = drift_of_a_sphere("nbody.integrator=hermite nbody.precision=double", count / 2, &ignored);
    expect_near("drift of the energy in ten crossing times", drift, 0, 1e-6);
    assert_true(fixed > 4 * drift); /* with as many evaluations */
}

/* A body alone has no forces. */
static void adaptive_steps_need_no_forces(void **state)
{
    (void) state;
    struct run run;
    open_run(&run, "cpu", "particles.count=1 init.source=plummer " ADAPTIVE);
    double *before = numbers(&run, NBODY_POSITION), *speed = numbers(&run, NBODY_VELOCITY);
    advance(&run, 1000);
    double *after = numbers(&run, NBODY_POSITION);
    for (int c = 0; c < 3; c++)
        expect_near("a body alone", after[c], before[c] + speed[c], 1e-13);
    free(before), free(speed), free(after);
    close_run(&run);
}

/* mu sqrt(G M a (1 - e^2)), by hand. */
static void angular_momentum_of_an_orbit_holds(void **state)
{
    (void) state;
    struct run run;
    double values[NBODY_METRICS];
    open_orbit(&run, "cpu", "leapfrog", 500);
    measure(&run, values);
    expect_near("angular momentum", values[NBODY_ANGULAR_MOMENTUM + 2], 0.25 * sqrt(0.75), 1e-15);
    advance(&run, 10000);
    measure(&run, values);
    expect_near("angular momentum after 10000 steps", values[NBODY_ANGULAR_MOMENTUM + 2], 0.25 * sqrt(0.75), 1e-12);
    close_run(&run);
}

/* A first step by hand: two masses of 1/2 at -+1/4, moving at -+sqrt(3)/2. The force on the first is 1/2 / (1/2)^2 = 2.
 */
static void a_step_is_what_the_texts_say(void **state)
{
    (void) state;
    struct run run;
    const double v = sqrt(3) / 2, dt = 0.125;
    open_run(&run, "cpu", ORBIT "nbody.dt=0.125 nbody.integrator=euler");
    advance(&run, 1);
    double *x = numbers(&run, NBODY_POSITION), *u = numbers(&run, NBODY_VELOCITY);
    expect_near("euler: velocity", u[0], 2 * dt, 1e-15);
    expect_near("euler: position", x[0], -0.25 + 2 * dt * dt, 1e-15);
    expect_near("euler: position across", x[1], -v * dt, 1e-15);
    free(x), free(u);
    close_run(&run);
    open_run(&run, "cpu", ORBIT "nbody.dt=0.125 nbody.integrator=leapfrog");
    advance(&run, 1);
    x = numbers(&run, NBODY_POSITION);
    expect_near("leapfrog: position", x[0], -0.25 + dt * dt, 1e-15);
    free(x);
    close_run(&run);
}

/* ---- Conservation ----------------------------------------------------------------------------------------------- */

/* Action is reaction: the forces add up to nothing, but for the rounding of sums. */
static void momentum_holds_where_pairs_come_once(void **state)
{
    (void) state;
    struct run run;
    double before[NBODY_METRICS], after[NBODY_METRICS];
    open_run(&run, "cpu", "particles.count=1500 init.source=plummer nbody.precision=double nbody.form=pairs");
    measure(&run, before);
    advance(&run, 100);
    measure(&run, after);
    for (int c = 0; c < 3; c++) {
        expect_near("momentum", after[NBODY_MOMENTUM + c], before[NBODY_MOMENTUM + c], 1e-15);
        expect_near("angular momentum", after[NBODY_ANGULAR_MOMENTUM + c], before[NBODY_ANGULAR_MOMENTUM + c], 1e-14);
    }
    expect_near("energy", after[NBODY_ENERGY], before[NBODY_ENERGY], 1e-5);
    close_run(&run);
}

/* ---- Bits ------------------------------------------------------------------------------------------------------- */

static void expect_same_bits(const char *settings)
{
    static const char *const threads[] = {"run.threads=1", "run.threads=2", "run.threads=3"};
    char first[HASH_TEXT], again[HASH_TEXT], all[512];
    struct run run;
    for (int t = 0; t < 3; t++) {
        snprintf(all, sizeof all, "%s %s", settings, threads[t]);
        open_run(&run, "cpu", all);
        for (int step = 0; t % 2 && step < 9; step++) {
            advance(&run, 1);
            if (step % 3 == 2) /* what is kept from step to step can be had again */
                instance_state_changed(run.candidate.instance);
        }
        if (t % 2 == 0)
            advance(&run, 9);
        hash(&run, t ? again : first);
        close_run(&run);
        if (t && strcmp(first, again) != 0)
            fail_msg("%s: another hash than with one thread in one call", all);
    }
}

static void threads_and_calls_change_no_bit(void **state)
{
    (void) state;
    static const char *const counts[] = {"1", "2", "3", "17", "1000", "1025"};
    static const char *const integrators[] = {"euler", "leapfrog", "hermite"};
    for (int n = 0; n < 6; n++)
        for (int kind = 0; kind < 12; kind++) {
            char settings[256];
            snprintf(settings, sizeof settings,
                     "init.source=plummer particles.count=%s nbody.form=%s nbody.precision=%s nbody.integrator=%s",
                     counts[n], kind & 1 ? "pairs" : "plain", kind & 2 ? "double" : "float", integrators[kind / 4]);
            expect_same_bits(settings);
        }
}

static void adaptive_steps_have_these_bits_too(void **state)
{
    (void) state;
    expect_same_bits("init.source=plummer particles.count=300 nbody.dt=0.05 nbody.integrator=hermite "
                     "nbody.time_step=adaptive");
    expect_same_bits("init.source=plummer particles.count=77 nbody.dt=0.05 nbody.softening=0 " ADAPTIVE);
}

/* ---- First states ----------------------------------------------------------------------------------------------- */

/* In units where gravity, mass and virial radius are 1; half of the mass is within 1.3048 scale lengths of 3 pi / 16.
 */
static void plummers_sphere_is_in_equilibrium(void **state)
{
    (void) state;
    struct run run;
    double values[NBODY_METRICS];
    open_run(&run, "cpu", "particles.count=20000 init.source=plummer nbody.softening=0");
    measure(&run, values);
    expect_near("virial ratio", values[NBODY_VIRIAL_RATIO], 1, 0.02);
    expect_near("energy", values[NBODY_ENERGY], -0.25, 0.005);
    double *x = numbers(&run, NBODY_POSITION);
    for (uint64_t i = 0; i < 20000; i++)
        x[i] = sqrt(x[3 * i] * x[3 * i] + x[3 * i + 1] * x[3 * i + 1] + x[3 * i + 2] * x[3 * i + 2]);
    qsort(x, 20000, sizeof *x, ascending);
    expect_near("half-mass radius", x[10000], 1.3048 * 3 * 3.14159265 / 16, 0.015);
    free(x);
    close_run(&run);
}

static void shells_are_cold_and_hollow(void **state)
{
    (void) state;
    struct run run;
    double values[NBODY_METRICS];
    open_run(&run, "cpu", "particles.count=5000 init.source=shell nbody.size=2 nbody.total_mass=3 nbody.softening=0");
    measure(&run, values);
    expect_near("kinetic energy", values[NBODY_KINETIC], 0, 0);
    expect_near("potential energy -M^2 / 2R", values[NBODY_POTENTIAL], -9.0 / 4, 0.02);
    double *x = numbers(&run, NBODY_POSITION);
    for (uint64_t i = 0; i < 5000; i++)
        expect_near("radius", sqrt(x[3 * i] * x[3 * i] + x[3 * i + 1] * x[3 * i + 1] + x[3 * i + 2] * x[3 * i + 2]), 2,
                    1e-6);
    free(x);
    close_run(&run);
}

/* Coordinate c of body i is made of words 2 c and 2 c + 1 of stream i, whatever thread or task makes it: in a cube the
 * upper 52 bits of both, as a fraction, less one half. 30000 bodies are several of the engine's pieces, each of several
 * tasks. */
static void bodies_come_from_streams_of_their_own(void **state)
{
    (void) state;
    struct run run;
    open_run(&run, "cpu", "particles.count=30000 init.source=cube init.seed=9 run.threads=3 nbody.precision=double");
    double *x = numbers(&run, NBODY_POSITION);
    for (uint64_t i = 0; i < 30000; i++)
        for (uint64_t c = 0; c < 3; c++) {
            uint32_t words[4];
            engine_random_block(9, i, c / 2, words);
            const uint64_t bits = ((uint64_t) words[c % 2 * 2] << 32 | words[c % 2 * 2 + 1]) >> 12;
            assert_true(x[3 * i + c] == ((double) bits + 0.5) / 4503599627370496.0 - 0.5);
        }
    free(x);
    close_run(&run);
}

static void cubes_are_uniform(void **state)
{
    (void) state;
    struct run run;
    open_run(&run, "cpu", "particles.count=20000 init.source=cube nbody.size=4");
    double *x = numbers(&run, NBODY_POSITION), *mass = numbers(&run, NBODY_MASS), sum = 0, squares = 0, most = 0;
    for (uint64_t i = 0; i < 60000; i++) {
        sum += x[i], squares += x[i] * x[i];
        most = fmax(most, fabs(x[i]));
    }
    expect_near("mean", sum / 60000, 0, 0.02);
    expect_near("variance 4^2 / 12", squares / 60000, 16.0 / 12, 0.02);
    assert_true(most <= 2 && most > 1.99);
    assert_true(mass[0] == 1 && mass[19999] == 1);
    free(x), free(mass);
    close_run(&run);
}

/* On a parabola, so that two points would have no energy; each galaxy bound; at rest as a whole. */
static void galaxies_meet(void **state)
{
    (void) state;
    struct run run;
    double values[NBODY_METRICS], middle[2][3] = {{0}};
    open_run(&run, "cpu", "particles.count=20001 init.source=galaxies");
    measure(&run, values);
    double *x = numbers(&run, NBODY_POSITION), *mass = numbers(&run, NBODY_MASS), total = 0;
    for (uint64_t i = 0; i < 20001; i++) {
        total += mass[i];
        for (int c = 0; c < 3; c++)
            middle[i > 10000][c] += 2 * mass[i] * x[3 * i + c];
    }
    expect_near("mass", total, 1, 1e-6);
    for (int c = 0; c < 3; c++)
        expect_near("momentum", values[NBODY_MOMENTUM + c], 0, 0.01);
    const double apart = 10 * 3 * 3.14159265 / 16;
    expect_near("distance", middle[1][0] - middle[0][0], apart, 0.1);
    expect_near("virial ratio of each, and of a parabola", values[NBODY_VIRIAL_RATIO], 1, 0.12);
    free(x), free(mass);
    close_run(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forces_are_those_of_a_long_sum),
        cmocka_unit_test(forces_of_4096_bodies_keep_the_promise),
        cmocka_unit_test(forces_of_many_blocks),
        cmocka_unit_test(forces_of_several_phases),
        cmocka_unit_test(orbits_close),
        cmocka_unit_test(energy_errors_follow_the_order),
        cmocka_unit_test(leapfrog_does_not_drift),
        cmocka_unit_test(adaptive_steps_follow_a_thin_orbit),
        cmocka_unit_test(adaptive_steps_hold_the_energy_of_a_sphere),
        cmocka_unit_test(adaptive_steps_need_no_forces),
        cmocka_unit_test(angular_momentum_of_an_orbit_holds),
        cmocka_unit_test(a_step_is_what_the_texts_say),
        cmocka_unit_test(momentum_holds_where_pairs_come_once),
        cmocka_unit_test(threads_and_calls_change_no_bit),
        cmocka_unit_test(adaptive_steps_have_these_bits_too),
        cmocka_unit_test(plummers_sphere_is_in_equilibrium),
        cmocka_unit_test(shells_are_cold_and_hollow),
        cmocka_unit_test(bodies_come_from_streams_of_their_own),
        cmocka_unit_test(cubes_are_uniform),
        cmocka_unit_test(galaxies_meet),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
