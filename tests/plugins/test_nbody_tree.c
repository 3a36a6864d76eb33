/* Compares nbody-tree with sums in long double, on bodies of all kinds, and with nbody over time: its implementation
 * cpu and, with TEST_CUDA in the environment, cuda. */
#include "bodies.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char *implementation = "cpu";

static bool on_cuda(void)
{
    return strcmp(implementation, "cuda") == 0;
}

/* ---- Bodies ----------------------------------------------------------------------------------------------------- */

/* A body of a test: position and mass. */
typedef void body_maker(uint64_t i, uint64_t count, double x[3], double *mass);

/* Uniform in (0, 1): the same numbers in each run. */
static double uniform(void)
{
    static uint64_t state = 88172645463325252ULL;
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return ((double) (state >> 12) + 0.5) * 0x1p-52;
}

static void random_body(uint64_t i, uint64_t count, double x[3], double *mass)
{
    (void) i, (void) count;
    for (int c = 0; c < 3; c++)
        x[c] = uniform() - 0.5;
    *mass = uniform();
}

static void body_on_plane(uint64_t i, uint64_t count, double x[3], double *mass)
{
    random_body(i, count, x, mass);
    x[2] = 0.25;
}

static void body_on_line(uint64_t i, uint64_t count, double x[3], double *mass)
{
    random_body(i, count, x, mass);
    x[0] = x[1] = x[2];
}

/* Seven at each place. */
static void coincident_body(uint64_t i, uint64_t count, double x[3], double *mass)
{
    static double place[3];
    random_body(i, count, x, mass);
    if (i % 7 == 0)
        memcpy(place, x, sizeof place);
    memcpy(x, place, sizeof place);
}

static void body_at_one_place(uint64_t i, uint64_t count, double x[3], double *mass)
{
    random_body(i, count, x, mass);
    x[0] = x[1] = x[2] = 3;
}

/* Distances from the first body grow from 1e-12 to 1e12, so that 21 bits an axis tell few of them apart. */
static void body_far_out(uint64_t i, uint64_t count, double x[3], double *mass)
{
    const double distance = pow(10, 24 * (double) i / (double) count - 12);
    random_body(i, count, x, mass);
    for (int c = 0; c < 3; c++)
        x[c] *= distance;
}

/* A cluster of one cell, and one body so far away that all others have the same key. */
static void body_of_cluster(uint64_t i, uint64_t count, double x[3], double *mass)
{
    random_body(i, count, x, mass);
    if (i + 1 == count)
        x[1] = 1e9;
}

/* A cluster, and one of ten bodies around it, so that a few bodies in a row have the cluster in their box. */
static void body_of_cluster_or_halo(uint64_t i, uint64_t count, double x[3], double *mass)
{
    random_body(i, count, x, mass);
    for (int c = 0; c < 3 && i % 10 != 0; c++)
        x[c] /= 100;
}

static void body_without_mass(uint64_t i, uint64_t count, double x[3], double *mass)
{
    random_body(i, count, x, mass);
    *mass = x[0] < 0 ? 0 : *mass;
}

static void place_bodies(struct run *run, body_maker *make)
{
    const uint64_t count = bodies(run);
    double *x = calloc(3 * count, sizeof *x), *mass = calloc(count, sizeof *mass);
    struct engine_error error;
    for (uint64_t i = 0; i < count; i++)
        make(i, count, x + 3 * i, mass + i);
    assert_int_equal(state_write(run->candidate.state, NBODY_POSITION, 0, 3 * count, x, &error), 0);
    assert_int_equal(state_write(run->candidate.state, NBODY_MASS, 0, count, mass, &error), 0);
    instance_state_changed(run->candidate.instance);
    free(x), free(mass);
}

/* ---- Forces ----------------------------------------------------------------------------------------------------- */

static void open_tree(struct run *run, uint64_t count, const char *settings)
{
    char all[512];
    snprintf(all, sizeof all, "run.plugin=nbody-tree particles.count=%llu %s", (unsigned long long) count, settings);
    open_run(run, implementation, all);
}

/* Errors of the forces, relative to each one's size, ascending. Bodies move by nothing. */
static double *force_errors(struct run *run, double softening)
{
    const uint64_t count = bodies(run);
    advance(run, 1);
    double *x = numbers(run, NBODY_POSITION), *mass = numbers(run, NBODY_MASS);
    double *is = numbers(run, NBODY_ACCELERATION), *errors = calloc(count, sizeof *errors);
    for (uint64_t i = 0; i < count; i++) {
        long double should[3], error = 0, size = 0;
        attraction(x, mass, count, i, softening, should);
        for (int c = 0; c < 3; c++) {
            error = hypotl(error, is[3 * i + c] - should[c]);
            size = hypotl(size, should[c]);
        }
        errors[i] = (double) (error == 0 ? 0 : error / size);
        if (isnan(errors[i]))
            fail_msg("the force on body %llu is not a number", (unsigned long long) i);
    }
    qsort(errors, count, sizeof *errors, ascending);
    free(x), free(mass), free(is);
    return errors;
}

/* The 99th percentile of the errors is at most `typical`, and all are at most `most`. */
static void expect_errors(const char *what, struct run *run, double softening, double typical, double most)
{
    char text[512];
    const uint64_t count = bodies(run);
    double *errors = force_errors(run, softening);
    snprintf(text, sizeof text, "%s, %llu bodies: the 99th percentile of errors", what, (unsigned long long) count);
    expect_near(text, errors[(count - 1) * 99 / 100], 0, typical);
    snprintf(text, sizeof text, "%s, %llu bodies: the largest error", what, (unsigned long long) count);
    expect_near(text, errors[count - 1], 0, most);
    free(errors);
}

#define AT_REST "nbody-tree.dt=0 nbody-tree.precision=double "

static void forces_on_bodies_of_all_kinds(void **state)
{
    (void) state;
    static const struct kind {
        const char *name;
        body_maker *make;
        double softening;
    } kinds[] = {
        {"random", random_body, 0},
        {"random, softened", random_body, 0.1},
        {"on a plane", body_on_plane, 0},
        {"on a line", body_on_line, 0.001},
        {"seven at a place", coincident_body, 0.01},
        {"all at one place", body_at_one_place, 0.01},
        {"far out", body_far_out, 0},
        {"a cluster and one far away", body_of_cluster, 0.01},
        {"a cluster in a halo", body_of_cluster_or_halo, 0.001},
        {"half of them without mass", body_without_mass, 0.01},
    };
    static const uint64_t counts[] = {1, 2, 3, 7, 64, 65, 1000};
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++)
        for (size_t n = 0; n < sizeof counts / sizeof counts[0]; n++) {
            struct run run;
            char settings[256];
            snprintf(settings, sizeof settings, AT_REST "init.source=cube nbody-tree.softening=%g", kinds[k].softening);
            open_tree(&run, counts[n], settings);
            place_bodies(&run, kinds[k].make);
            expect_errors(kinds[k].name, &run, kinds[k].softening, 1e-3, on_cuda() ? 1e-2 : 5e-3);
            close_run(&run);
        }
}

/* As the README says: 99 of 100 below `accuracy`. */
static void accuracy_bounds_the_errors(void **state)
{
    (void) state;
    static const char *const sources[] = {"plummer", "cube", "galaxies"}, *const words[] = {"1e-2", "1e-3", "1e-4",
                                                                                            "1e-6"};
    static const double bounds[] = {1e-2, 1e-3, 1e-4, 1e-6};
    for (int s = 0; s < 3; s++)
        for (int a = 0; a < 4; a++) {
            struct run run;
            char settings[256];
            snprintf(settings, sizeof settings,
                     AT_REST "init.source=%s nbody-tree.softening=0.01 nbody-tree.accuracy=%s", sources[s], words[a]);
            open_tree(&run, 3000, settings);
            expect_errors(settings, &run, 0.01, bounds[a], 10 * bounds[a]);
            close_run(&run);
        }
}

/* Instruction sets that this machine lacks are left out. A GPU has one. */
static void instruction_sets_and_precisions(void **state)
{
    (void) state;
    static const char *const sets[] = {"avx512", "avx2", "plain"};
    for (int set = 0; set < 3; set++)
        for (int kind = 0; kind < 4; kind++) {
            struct run run;
            char settings[256];
            const double softening = kind & 1 ? 0.02 : 0;
            if (on_cuda() && set < 2)
                continue;
            if ((set == 0 && !__builtin_cpu_supports("avx512dq")) || (set < 2 && !__builtin_cpu_supports("fma")))
                continue;
            snprintf(settings, sizeof settings,
                     "init.source=plummer nbody-tree.dt=0 nbody-tree.precision=%s nbody-tree.instructions=%s "
                     "nbody-tree.accuracy=1e-5 nbody-tree.softening=%g",
                     kind & 2 ? "double" : "float", sets[set], softening);
            open_tree(&run, 2001, settings);
            expect_errors(settings, &run, softening, 1e-5, 1e-4);
            close_run(&run);
        }
}

/* ---- Bits ------------------------------------------------------------------------------------------------------- */

static void threads_and_calls_change_no_bit(void **state)
{
    (void) state;
    static const char *const threads[] = {"run.threads=1", "run.threads=2", "run.threads=3"};
    static const uint64_t counts[] = {1, 2, 25, 1000, 40000};
    for (int n = 0; n < 5; n++)
        for (int kind = 0; kind < (n < 4 ? 4 : 1); kind++) {
            char first[HASH_TEXT], again[HASH_TEXT], settings[256];
            for (int t = 0; t < 3; t++) {
                struct run run;
                snprintf(settings, sizeof settings,
                         "init.source=plummer nbody-tree.precision=%s nbody-tree.integrator=%s %s",
                         kind & 1 ? "double" : "float", kind & 2 ? "euler" : "leapfrog", threads[t]);
                open_tree(&run, counts[n], settings);
                for (int step = 0; t % 2 && step < 3; step++) {
                    advance(&run, 1);
                    if (step == 1) /* what is kept from step to step can be had again */
                        instance_state_changed(run.candidate.instance);
                }
                if (t % 2 == 0)
                    advance(&run, 3);
                hash(&run, t ? again : first);
                close_run(&run);
                if (t && strcmp(first, again) != 0)
                    fail_msg("%llu bodies, %s: another hash than with one thread in one call",
                             (unsigned long long) counts[n], settings);
            }
        }
}

/* ---- Energy and momentum ---------------------------------------------------------------------------------------- */

static void potentials_are_those_of_nbody(void **state)
{
    (void) state;
    static const char *const sources[] = {"plummer", "cube", "galaxies"};
    for (int s = 0; s < 3; s++)
        for (int softened = 0; softened < 2; softened++) {
            struct run run;
            char settings[256];
            double is[NBODY_METRICS], should[NBODY_METRICS];
            const char *word = softened ? "0.05" : "0";
            snprintf(settings, sizeof settings, "init.source=%s nbody-tree.softening=%s", sources[s], word);
            open_tree(&run, 5001, settings);
            measure(&run, is);
            close_run(&run);
            snprintf(settings, sizeof settings, "init.source=%s nbody.softening=%s particles.count=5001", sources[s],
                     word);
            open_run(&run, "cpu", settings);
            measure(&run, should);
            close_run(&run);
            for (int m = 0; m < NBODY_METRICS; m++)
                expect_near(
                    sources[s], is[m], should[m],
                    m == NBODY_POTENTIAL || m == NBODY_ENERGY || m == NBODY_VIRIAL_RATIO ? 2e-4 * fabs(should[m]) : 0);
        }
}

/* Changes of energy and momentum over a crossing time, in units where both are about 1. */
static void drift(const char *impl, const char *settings, double *energy, double *momentum)
{
    struct run run;
    double before[NBODY_METRICS], after[NBODY_METRICS];
    open_run(&run, impl, settings);
    measure(&run, before);
    advance(&run, 280);
    measure(&run, after);
    close_run(&run);
    *energy = fabs(after[NBODY_ENERGY] - before[NBODY_ENERGY]);
    *momentum = 0;
    for (int c = 0; c < 3; c++)
        *momentum = hypot(*momentum, after[NBODY_MOMENTUM + c] - before[NBODY_MOMENTUM + c]);
}

/* nbody: the energy's error is that of the integrator. A tree's forces do not cancel exactly; the bound of the momentum
 * is `accuracy` times the typical force times the time, over the root of the number of bodies. */
static void energy_and_momentum_hold(void **state)
{
    (void) state;
    double energy, momentum, tree_energy, tree_momentum;
    drift("cpu", "particles.count=2000 init.source=plummer nbody.dt=0.01 nbody.softening=0.05 nbody.precision=double",
          &energy, &momentum);
    drift(implementation,
          "run.plugin=nbody-tree particles.count=2000 init.source=plummer nbody-tree.dt=0.01 nbody-tree.softening=0.05 "
          "nbody-tree.precision=double",
          &tree_energy, &tree_momentum);
    expect_near("nbody: change of energy", energy, 0, 1e-4);
    expect_near("nbody: change of momentum", momentum, 0, 1e-13);
    expect_near("nbody-tree: change of energy", tree_energy, 0, 2e-4);
    expect_near("nbody-tree: change of momentum", tree_momentum, 0, 1e-4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forces_on_bodies_of_all_kinds),   cmocka_unit_test(accuracy_bounds_the_errors),
        cmocka_unit_test(instruction_sets_and_precisions), cmocka_unit_test(threads_and_calls_change_no_bit),
        cmocka_unit_test(potentials_are_those_of_nbody),   cmocka_unit_test(energy_and_momentum_hold),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    if (getenv("TEST_CUDA")) {
        implementation = "cuda";
        failed += cmocka_run_group_tests_name("on a GPU", tests, NULL, NULL);
    }
    return failed;
}
