/* Generators. Every body has its own random stream, so that any split into ranges gives the same bodies.
 *
 *   cube      at rest, uniform in a cube
 *   plummer   Plummer's sphere in equilibrium, by Aarseth, Henon and Wielen, Astronomy and Astrophysics 37 (1974) 183
 *   shell     uniform on a sphere, at rest
 *   orbit     two bodies of equal mass on a Kepler orbit about their centre of mass, at their closest
 *   galaxies  two galaxies on a parabolic orbit, each a disk in a Plummer sphere */
#include "nbody.h"

#include <string.h>

static const double pi = 3.14159265358979323846;

/* One body, as generated. */
struct body {
    double position[3], velocity[3], mass;
};

/* The parameters of a generator. */
struct start {
    const struct engine_host *host;
    uint64_t seed, count;
    double size, total, g, eccentricity;
};

/* ---- Random numbers --------------------------------------------------------------------------------------------- */

/* The random stream of one body. */
struct dice {
    const struct start *start;
    uint64_t stream, next;
};

/* Uniform in (0, 1), two words. */
static double uniform(struct dice *dice)
{
    uint32_t words[2];
    dice->start->host->random(dice->start->host, dice->start->seed, dice->stream, dice->next, 2, words);
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

static int cube(const struct start *start, struct dice *dice, uint64_t index, struct body *body)
{
    (void) index;
    for (int c = 0; c < 3; c++)
        body->position[c] = start->size * (uniform(dice) - 0.5);
    return 0;
}

static int shell(const struct start *start, struct dice *dice, uint64_t index, struct body *body)
{
    (void) index;
    direction(dice, start->size, body->position);
    return 0;
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
static int plummer(const struct start *start, struct dice *dice, uint64_t index, struct body *body)
{
    (void) index;
    plummer_body(dice, start->g, start->size * 3 * pi / 16, start->total, body);
    return 0;
}

static int orbit(const struct start *start, struct dice *dice, uint64_t index, struct body *body)
{
    (void) dice;
    if (start->count != 2)
        return ENGINE_FAIL(start->host, ENGINE_INVALID,
                           "orbit has two bodies; set [particles] count = 2 instead of %llu",
                           (unsigned long long) start->count);
    const double e = start->eccentricity, side = index ? 0.5 : -0.5;
    body->position[0] = side * start->size * (1 - e);
    body->velocity[1] = side * sqrt(fabs(start->g) * start->total / start->size * (1 + e) / (1 - e));
    return 0;
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

/* The first half of the bodies is one galaxy, the second the other; in each halo and disk take turns. */
static int galaxies(const struct start *start, struct dice *dice, uint64_t index, struct body *body)
{
    const uint64_t first = (start->count + 1) / 2;
    const int second = index >= first;
    const uint64_t bodies = second ? start->count - first : first, place = second ? index - first : index;
    const uint64_t in_disk = bodies / 2, in_halo = bodies - in_disk;
    const double a = start->size * 3 * pi / 16, m = start->total / 2;
    if (place % 2) {
        disk_body(dice, start->g, a, m, body);
        body->mass = (1 - HALO_SHARE) * m / (double) in_disk;
    } else {
        plummer_body(dice, start->g, a, HALO_SHARE * m, body);
        body->mass = (in_disk ? HALO_SHARE : 1) * m / (double) in_halo;
    }
    turn_about_x(second ? 1.2 : -0.4, body->position);
    turn_about_x(second ? 1.2 : -0.4, body->velocity);
    set_on_course(start, a, second ? 1 : -1, body);
    return 0;
}

/* ---- The generator ---------------------------------------------------------------------------------------------- */

static struct start make_start(const struct engine_host *host, const struct engine_plan *plan, uint32_t generator)
{
    struct start start = {host, plan->seed, nbody_common_plan(plan).count, 0, 0, nbody_common_plan(plan).g, 0};
    start.size = engine_param_real(plan, NBODY_SIZE);
    start.total = engine_param_real(plan, NBODY_TOTAL_MASS);
    start.eccentricity = engine_param_real(plan, NBODY_ECCENTRICITY);
    if (start.total == 0)
        start.total = generator == NBODY_CUBE ? (double) start.count : 1;
    return start;
}

static int make_body(const struct start *start, uint32_t generator, uint64_t index, struct body *body)
{
    static int (*const makers[])(const struct start *, struct dice *, uint64_t, struct body *) = {
        [NBODY_CUBE] = cube,   [NBODY_PLUMMER] = plummer,   [NBODY_SHELL] = shell,
        [NBODY_ORBIT] = orbit, [NBODY_GALAXIES] = galaxies,
    };
    struct dice dice = {start, index, 0};
    *body = (struct body){.mass = start->total / (double) start->count};
    return makers[generator](start, &dice, index, body);
}

/* Component c of a body's field. */
static double field_number(const struct body *body, uint32_t field, uint64_t c)
{
    return field == NBODY_MASS ? body->mass : field == NBODY_VELOCITY ? body->velocity[c] : body->position[c];
}

int nbody_generate(const struct engine_host *host, const struct engine_plan *plan, uint32_t generator, uint32_t field,
                   uint64_t begin, uint64_t count, void *out)
{
    const struct start start = make_start(host, plan, generator);
    const uint64_t components = field == NBODY_MASS ? 1 : 3;
    struct body body;
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t c = (begin + i) % components;
        const int status = i == 0 || c == 0 ? make_body(&start, generator, (begin + i) / components, &body) : 0;
        if (status != 0)
            return status;
        if (nbody_common_plan(plan).precision == NBODY_DOUBLE)
            ((double *) out)[i] = field_number(&body, field, c);
        else
            ((float *) out)[i] = (float) field_number(&body, field, c);
    }
    return 0;
}
