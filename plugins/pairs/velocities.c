/* Maxwell's velocities, with no momentum and exactly the temperature for masses of 1: uniform on the sphere of all
 * velocities of that energy without momentum. A call makes some of them, and does not go through all particles for
 * that.
 *
 * The particles form groups. The momentum and the energy of all groups follow from a binary tree, whose root has the
 * sums of all particles: a node draws how its sums divide between its halves. Then each group draws numbers for its own
 * particles, shifts them to its momentum, and scales them to its energy.
 *
 * In two dimensions, z and its numbers are 0, and 2 takes the place of 3 below.
 *
 * Let a node have n particles with the sum of velocities S, and Q the sum of the squared differences from their mean.
 * With normal numbers x, y, z, and chi-squared numbers a and b of 3 (m - 1) and 3 (n - m) - 3 degrees of freedom, the
 * first m particles have
 *
 *     the sum  S m / n + sqrt(k m (n - m) / n) (x, y, z)  and the squares  k a,  k = Q / (x^2 + y^2 + z^2 + a + b),
 *
 * and the others the rest and k b. */
#include "normal.h"

#include <math.h>

enum { VELOCITIES = 1001, SPLITS = 1002 }; /* streams; attempts to draw a split use those from SPLITS on */

#define GROUP ((uint64_t) 4096) /* particles of a group, at least, if there are so many */

/* Three normal numbers from eight words (Box and Muller), or as many as the space has axes, and 0. */
static void normal_numbers(uint32_t axes, const uint32_t words[8], double v[3])
{
    for (int pair = 0; pair < 2; pair++) {
        const double r = sqrt(-2 * log(pairs_uniform(words + 4 * pair)));
        const double angle = 6.283185307179586 * pairs_uniform(words + 4 * pair + 2);
        v[2 * pair] = r * cos(angle);
        if (pair == 0)
            v[1] = r * sin(angle);
    }
    v[2] = axes == 3 ? v[2] : 0;
}

/* ---- The tree ---------------------------------------------------------------------------------------------------- */

/* Groups first … end - 1, and the sums of their particles. Nodes are numbered as in a heap. */
struct node {
    uint64_t number, first, end;
    double sum[3], squares;
};

/* A chi-squared number (Marsaglia and Tsang, ACM Transactions on Mathematical Software 26 (2000) 363). Some degrees of
 * freedom are thousands, so that the first attempt almost always succeeds. */
static double chi_squared(const struct engine_host *host, uint64_t seed, uint64_t number, double freedom)
{
    const double d = freedom / 2 - 1.0 / 3, c = 1 / sqrt(9 * d);
    for (uint64_t attempt = 0;; attempt++) {
        uint32_t words[12];
        double x[3];
        host->random(host, seed, SPLITS + attempt, 12 * number, 12, words);
        normal_numbers(3, words, x);
        const double root = 1 + c * x[0], v = root * root * root;
        if (root > 0 && log(pairs_uniform(words + 8)) < x[0] * x[0] / 2 + d - d * v + d * log(v))
            return 2 * d * v;
    }
}

/* Goes from a node to the half that has the group. */
static void descend(const struct engine_host *host, const struct pairs_plan *plan, uint64_t groups, uint64_t group,
                    struct node *node)
{
    const uint64_t middle = (node->first + node->end) / 2;
    const uint64_t begin = engine_share_begin((uint32_t) node->first, (uint32_t) groups, plan->count);
    const double left = (double) (engine_share_begin((uint32_t) middle, (uint32_t) groups, plan->count) - begin);
    const double all = (double) (engine_share_begin((uint32_t) node->end, (uint32_t) groups, plan->count) - begin);
    const double a = chi_squared(host, plan->seed, 3 * node->number, plan->axes * (left - 1));
    const double b = chi_squared(host, plan->seed, 3 * node->number + 1, plan->axes * (all - left - 1));
    uint32_t words[12];
    double x[3];
    host->random(host, plan->seed, SPLITS, 12 * (3 * node->number + 2), 12, words);
    normal_numbers(plan->axes, words, x);
    const double scale = node->squares / (x[0] * x[0] + x[1] * x[1] + x[2] * x[2] + a + b);
    const int second = group >= middle;
    for (int c = 0; c < 3; c++) {
        const double sum = node->sum[c] * left / all + sqrt(scale * left * (all - left) / all) * x[c];
        node->sum[c] = second ? node->sum[c] - sum : sum;
    }
    node->squares = scale * (second ? b : a);
    node->number = 2 * node->number + (uint64_t) second;
    *(second ? &node->first : &node->end) = middle;
}

/* ---- A group ----------------------------------------------------------------------------------------------------- */

struct request {
    const struct engine_host *host;
    const struct pairs_plan *plan;
    uint64_t groups, first_group; /* of all particles; the first one that is asked for */
    uint64_t begin, end;          /* elements of the field that are asked for */
    double *out;
};

static void draw(const struct request *request, uint64_t particle, double v[3])
{
    uint32_t words[8];
    request->host->random(request->host, request->plan->seed, VELOCITIES, 8 * particle, 8, words);
    normal_numbers(request->plan->axes, words, v);
}

/* Writes the velocities of a group, as far as they are asked for. */
static void write_group(const struct request *request, uint64_t begin, uint64_t end, const struct node *node)
{
    const double count = (double) (end - begin);
    double mean[3] = {0, 0, 0}, squares = 0, v[3];
    for (uint64_t i = begin; i < end; i++) {
        draw(request, i, v);
        for (int c = 0; c < 3; c++) {
            mean[c] += v[c] / count;
            squares += v[c] * v[c];
        }
    }
    for (int c = 0; c < 3; c++)
        squares -= count * mean[c] * mean[c];
    const double scale = end - begin > 1 ? sqrt(node->squares / squares) : 0;
    for (uint64_t i = begin; i < end; i++) {
        if (3 * i + 3 <= request->begin || 3 * i >= request->end)
            continue;
        draw(request, i, v);
        for (uint64_t c = 0; c < 3; c++)
            if (3 * i + c >= request->begin && 3 * i + c < request->end)
                request->out[3 * i + c - request->begin] = node->sum[c] / count + scale * (v[c] - mean[c]);
    }
}

static void group_task(void *argument, uint64_t task)
{
    const struct request *request = (const struct request *) argument;
    const struct pairs_plan *plan = request->plan;
    const uint64_t group = request->first_group + task;
    struct node node = {1, 0, request->groups, {0, 0, 0}, plan->temperature * plan->axes * ((double) plan->count - 1)};
    while (node.end - node.first > 1)
        descend(request->host, plan, request->groups, group, &node);
    write_group(request, engine_share_begin((uint32_t) group, (uint32_t) request->groups, plan->count),
                engine_share_begin((uint32_t) group + 1, (uint32_t) request->groups, plan->count), &node);
}

/* The first `rest` groups have one particle more than the others. */
static uint64_t group_of(const struct request *request, uint64_t particle)
{
    const uint64_t each = request->plan->count / request->groups, rest = request->plan->count % request->groups;
    const uint64_t longer = rest * (each + 1);
    return particle < longer ? particle / (each + 1) : rest + (particle - longer) / each;
}

void pairs_velocities(const struct engine_host *host, const struct pairs_plan *plan, uint64_t begin, uint64_t count,
                      double *out)
{
    const uint64_t groups = plan->count < GROUP ? 1 : plan->count / GROUP;
    struct request request = {host, plan, groups, 0, begin, begin + count, out};
    request.first_group = group_of(&request, begin / 3);
    host->parallel(host, group_of(&request, (begin + count - 1) / 3) + 1 - request.first_group, group_task, &request);
}
