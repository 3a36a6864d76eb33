/* Generators. Every body has its own random stream, so that any split into ranges or tasks gives the same bodies.
 *
 *   cube      at rest, uniform in a cube
 *   plummer   Plummer's sphere in equilibrium, by Aarseth, Henon and Wielen, Astronomy and Astrophysics 37 (1974) 183
 *   shell     uniform on a sphere, at rest
 *   orbit     two bodies of equal mass on a Kepler orbit about their centre of mass, at their closest
 *   galaxies  two galaxies on a parabolic orbit, each a disk in a Plummer sphere */
#include "nbody.h"

#include <common/divide.h>
#include <engine/random.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

/* One body, as generated. */
struct body {
    double position[3], velocity[3];
};

/* The parameters of a generator. */
struct start {
    uint32_t generator;
    uint64_t seed, count;
    double size, total, g, eccentricity;
};

/* ---- Random numbers --------------------------------------------------------------------------------------------- */

/* The random stream of one body: words [next, …) of host->random. `words` is the block that holds word next - 1. */
struct dice {
    uint64_t seed, stream, next;
    uint32_t words[4];
};

/* Uniform in (0, 1), two words. */
static double uniform(struct dice *dice)
{
    if (dice->next % 4 == 0)
        engine_random_block(dice->seed, dice->stream, dice->next / 4, dice->words);
    const uint32_t *words = dice->words + dice->next % 4;
    dice->next += 2;
    return ((double) (((uint64_t) words[0] << 32 | words[1]) >> 12) + 0.5) * 0x1p-52;
}

/* A vector of a given length in a random direction. */
static void direction(struct dice *dice, double length, double out[3])
{
    const double z = 2 * uniform(dice) - 1, angle = 2 * pi * uniform(dice), r = sqrt(1 - z * z);
    out[0] = length * r * cos(angle);
    out[1] = length * r * sin(angle);
    out[2] = length * z;
}

/* ---- Spheres, the cube and the orbit ---------------------------------------------------------------------------- */

static void cube(const struct start *start, struct dice *dice, uint64_t index, struct body *body)
{
    (void) index;
    for (int c = 0; c < 3; c++)
        body->position[c] = start->size * (uniform(dice) - 0.5);
}

static void shell(const struct start *start, struct dice *dice, uint64_t index, struct body *body)
{
    (void) index;
    direction(dice, start->size, body->position);
}

/* A body of the Plummer sphere of scale length a and mass m. The speed in units of the escape speed has the density
 * q^2 (1 - q^2)^3.5, which is below 0.1; it is sampled by rejection. The outermost thousandth of the mass, which is far
 * away, is left out. */
static void plummer_body(struct dice *dice, double g, double a, double m, struct body *body)
{
    const double r = a / sqrt(pow(0.999 * uniform(dice), -2.0 / 3) - 1);
    double q, often;
    do {
        q = uniform(dice);
        often = q * q * pow(1 - q * q, 3.5);
    } while (0.1 * uniform(dice) > often);
    direction(dice, r, body->position);
    direction(dice, q * sqrt(2 * fabs(g) * m / sqrt(r * r + a * a)), body->velocity);
}

/* The virial radius of Plummer's sphere is 16 / (3 pi) scale lengths: with size, total mass and g 1 the energy is -1/4.
 */
static void plummer(const struct start *start, struct dice *dice, uint64_t index, struct body *body)
{
    (void) index;
    plummer_body(dice, start->g, start->size * 3 * pi / 16, start->total, body);
}

static void orbit(const struct start *start, struct dice *dice, uint64_t index, struct body *body)
{
    (void) dice;
    const double e = start->eccentricity, side = index ? 0.5 : -0.5;
    body->position[0] = side * start->size * (1 - e);
    body->velocity[1] = side * sqrt(fabs(start->g) * start->total / start->size * (1 + e) / (1 - e));
}

/* ---- Two galaxies ----------------------------------------------------------------------------------------------- */

/* In scale lengths of the halo, and in a galaxy's mass. */
#define HALO_SHARE  0.75 /* of the mass; the rest is the disk */
#define DISK_EDGE   3.0
#define DISK_HEIGHT 0.1
#define SEPARATION  10.0 /* of the two, at first */
#define CLOSEST     2.0  /* that two points on their orbit would come */

/* On a circle in a disk whose surface density falls as 1 / r (Mestel's), in the halo's and in its own field. */
static void disk_body(struct dice *dice, double g, double a, double m, struct body *body)
{
    const double edge = DISK_EDGE * a, r = edge * uniform(dice), angle = 2 * pi * uniform(dice);
    const double halo = HALO_SHARE * m * r * r / pow(r * r + a * a, 1.5), disk = (1 - HALO_SHARE) * m / edge;
    const double speed = sqrt(fabs(g) * (halo + disk));
    const double position[3] = {r * cos(angle), r * sin(angle), DISK_HEIGHT * a * (uniform(dice) - 0.5)};
    const double velocity[3] = {-speed * sin(angle), speed * cos(angle), 0};
    memcpy(body->position, position, sizeof position);
    memcpy(body->velocity, velocity, sizeof velocity);
}

static void turn_about_x(double angle, double v[3])
{
    const double y = v[1], z = v[2];
    v[1] = y * cos(angle) - z * sin(angle);
    v[2] = y * sin(angle) + z * cos(angle);
}

/* Puts a galaxy (side -1 or 1) on a parabola about the centre of mass, in the plane of x and y. */
static void set_on_course(const struct start *start, double a, double side, struct body *body)
{
    const double distance = SEPARATION * a, gm = fabs(start->g) * start->total;
    const double across = sqrt(2 * gm * CLOSEST * a) / distance;
    const double along = sqrt(2 * gm / distance - across * across);
    body->position[0] += side * distance / 2;
    body->velocity[0] -= side * along / 2;
    body->velocity[1] += side * across / 2;
}

/* Where a body is: the first half of the bodies is one galaxy, the second the other; in each halo and disk take
 * turns. */
struct membership {
    int second, disk;          /* 1: it is in the second galaxy; in the disk */
    uint64_t in_disk, in_halo; /* bodies of its galaxy */
};

static struct membership membership_of(const struct start *start, uint64_t index)
{
    const uint64_t first = (start->count + 1) / 2;
    const int second = index >= first;
    const uint64_t bodies = second ? start->count - first : first, place = second ? index - first : index;
    return (struct membership){second, place % 2 == 1, bodies / 2, bodies - bodies / 2};
}

static void galaxies(const struct start *start, struct dice *dice, uint64_t index, struct body *body)
{
    const struct membership of = membership_of(start, index);
    const double a = start->size * 3 * pi / 16, m = start->total / 2;
    if (of.disk)
        disk_body(dice, start->g, a, m, body);
    else
        plummer_body(dice, start->g, a, HALO_SHARE * m, body);
    turn_about_x(of.second ? 1.2 : -0.4, body->position);
    turn_about_x(of.second ? 1.2 : -0.4, body->velocity);
    set_on_course(start, a, of.second ? 1 : -1, body);
}

static double mass_in_galaxies(const struct start *start, uint64_t index)
{
    const struct membership of = membership_of(start, index);
    const double m = start->total / 2;
    return of.disk ? (1 - HALO_SHARE) * m / (double) of.in_disk
                   : (of.in_disk ? HALO_SHARE : 1) * m / (double) of.in_halo;
}

/* ---- The generator ---------------------------------------------------------------------------------------------- */

static struct start make_start(const struct engine_plan *plan, uint32_t generator)
{
    struct start start = {generator, plan->seed, nbody_common_plan(plan).count, 0, 0, nbody_common_plan(plan).g, 0};
    start.size = engine_param_real(plan, NBODY_SIZE);
    start.total = engine_param_real(plan, NBODY_TOTAL_MASS);
    start.eccentricity = engine_param_real(plan, NBODY_ECCENTRICITY);
    if (start.total == 0)
        start.total = generator == NBODY_CUBE ? (double) start.count : 1;
    return start;
}

static void make_body(const struct start *start, uint64_t index, struct body *body)
{
    static void (*const makers[])(const struct start *, struct dice *, uint64_t, struct body *) = {
        [NBODY_CUBE] = cube,   [NBODY_PLUMMER] = plummer,   [NBODY_SHELL] = shell,
        [NBODY_ORBIT] = orbit, [NBODY_GALAXIES] = galaxies,
    };
    struct dice dice = {.seed = start->seed, .stream = index};
    *body = (struct body){0};
    makers[start->generator](start, &dice, index, body);
}

/* Elements of a field, as the engine asks for them. */
struct request {
    struct start start;
    uint32_t field, precision;
    uint64_t begin, count;
    void *out;
};

static void set_number(const struct request *request, uint64_t i, double value)
{
    if (request->precision == NBODY_DOUBLE)
        ((double *) request->out)[i] = value;
    else
        ((float *) request->out)[i] = (float) value;
}

static void set_masses(const struct request *request, uint64_t begin, uint64_t end)
{
    const struct start *start = &request->start;
    for (uint64_t i = begin; i < end; i++)
        set_number(request, i,
                   start->generator == NBODY_GALAXIES ? mass_in_galaxies(start, request->begin + i)
                                                      : start->total / (double) start->count);
}

static void set_vectors(const struct request *request, uint64_t begin, uint64_t end)
{
    struct body body;
    for (uint64_t i = begin; i < end; i++) {
        const uint64_t c = (request->begin + i) % 3;
        if (i == begin || c == 0)
            make_body(&request->start, (request->begin + i) / 3, &body);
        set_number(request, i, (request->field == NBODY_VELOCITY ? body.velocity : body.position)[c]);
    }
}

#define TASK ((uint64_t) 1536) /* elements: some 0.3 ms of work */

static void generate_task(void *argument, uint64_t task)
{
    const struct request *request = (const struct request *) argument;
    const uint64_t begin = task * TASK, end = request->count - begin < TASK ? request->count : begin + TASK;
    (request->field == NBODY_MASS ? set_masses : set_vectors)(request, begin, end);
}

int nbody_generate(const struct engine_host *host, const struct engine_plan *plan, uint32_t generator, uint32_t field,
                   uint64_t begin, uint64_t count, void *out)
{
    struct request request = {make_start(plan, generator), field, nbody_common_plan(plan).precision, begin, count, out};
    if (generator == NBODY_ORBIT && request.start.count != 2)
        return ENGINE_FAIL(host, ENGINE_INVALID, "orbit has two bodies; set [particles] count = 2 instead of %llu",
                           (unsigned long long) request.start.count);
    host->parallel(host, divide_up(count, TASK), generate_task, &request);
    return 0;
}
