/* The resident kernel of nbody/cuda on the host, against sums in double over all pairs and the steps that nbody.h
 * defines. One block and two blocks, which wait for each other, must give the same bits. */
#include "../stencil/simt.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

/* ---- What the kernel takes from CUDA ---------------------------------------------------------------------------- */

#define COMMON_CUDA_CUH
#define NBODY_CUDA_DEVICE_CUH
typedef int cudaError_t;
using std::max;
using std::min;

template <class To, class From> static To bits_as(From from)
{
    To to;
    static_assert(sizeof to == sizeof from, "as many bits");
    memcpy(&to, &from, sizeof to);
    return to;
}
static float __int_as_float(int i)
{
    return bits_as<float>(i);
}
static uint32_t __float_as_uint(float f)
{
    return bits_as<uint32_t>(f);
}
static double __hiloint2double(int high, int low)
{
    return bits_as<double>((uint64_t) (uint32_t) high << 32 | (uint32_t) low);
}
static int __double2hiint(double d)
{
    return (int) (bits_as<uint64_t>(d) >> 32);
}
static long long __float2ll_rn(float f)
{
    return llrintf(f);
}
static long long __double2ll_rn(double d)
{
    return llrint(d);
}
template <class T> static void atomicMax(T *at, T value)
{
    *at = max(*at, value);
}

template <class T> static T nbody_inverse_root(T square)
{
    return 1 / std::sqrt(square);
}

constexpr int BLOCKS = 2, GROUPS = 2, WARPS_OF_GROUP = 4;

/* Leaves after all others have arrived, and together with them. */
template <int WARPS> static void nbody_sync_group(uint32_t group)
{
    static unsigned arrived[BLOCKS][GROUPS], ended[BLOCKS][GROUPS];
    unsigned &count = arrived[blockIdx.x][group], &phase = ended[blockIdx.x][group];
    const unsigned before = phase;
    if (++count == 32 * WARPS)
        count = 0, phase++;
    do
        pass_the_turn();
    while (phase == before);
}

static void nbody_sync_blocks(uint32_t *arrived, uint32_t times)
{
    *arrived = times;
    wait_for_blocks();
}

static std::vector<double> memory[BLOCKS]; /* the dynamic shared memory of each block */
static void *nbody_dynamic_memory()
{
    return memory[blockIdx.x].data();
}

#pragma GCC diagnostic push /* nvcc does not warn of these */
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
#pragma GCC diagnostic ignored "-Wunused-variable"
#include <nbody/cuda_resident.cuh>
#pragma GCC diagnostic pop

/* ---- A system --------------------------------------------------------------------------------------------------- */

struct cloud {
    uint32_t count, tiles;
    std::vector<float> position, velocity, acceleration, mass;
    std::vector<nbody_run> runs;
};

constexpr float STEP = 0.01f, SOFTENING = 0.1f;

static double gravity(const cloud &s)
{
    return 1.5 / s.count; /* so that the system moves slowly */
}

/* Bodies in a cube. The masses take turns within each of the equal parts of the bodies, one part for each species. */
static cloud make_cloud(uint32_t count, uint32_t size, std::vector<std::vector<float>> species)
{
    cloud s = {count, (count + size - 1) / size, {}, {}, std::vector<float>(3 * count), {}, {}};
    uint64_t random = count;
    const auto next = [&] {
        return random = random * 6364136223846793005u + 1442695040888963407u, (float) (random >> 40) / 16777216;
    };
    for (uint32_t i = 0; i < 3 * count; i++)
        s.position.push_back(next() - 0.5f), s.velocity.push_back(next() - 0.5f);
    for (uint32_t i = 0; i < count; i++) {
        const std::vector<float> &masses = species[(uint64_t) i * species.size() / count];
        s.mass.push_back(masses[i % masses.size()]);
    }
    for (uint32_t t = 0; t < s.tiles; t++) {
        nbody_run run = {1, s.mass[t * size]};
        for (uint32_t i = t * size; i < min(count, (t + 1) * size); i++)
            run.tiles = s.mass[i] == s.mass[t * size] ? run.tiles : 0;
        s.runs.push_back(run);
    }
    return s;
}

/* The attraction on a body, in double. */
static void attraction(const cloud &s, uint32_t i, double *a)
{
    a[0] = a[1] = a[2] = 0;
    for (uint32_t j = 0; j < s.count; j++) {
        double d[3], square = (double) SOFTENING * SOFTENING;
        for (uint32_t c = 0; c < 3; c++)
            d[c] = (double) s.position[j + c * s.count] - s.position[i + c * s.count], square += d[c] * d[c];
        for (uint32_t c = 0; c < 3; c++)
            a[c] += gravity(s) * s.mass[j] * d[c] / (square * std::sqrt(square));
    }
}

/* Takes steps of leapfrog, from the second half of a kick on, as the kernel does; the last ends without the next
 * drift. */
static cloud expected(cloud s, uint32_t steps)
{
    for (uint32_t n = 1; n <= steps; n++) {
        for (uint32_t i = 0; i < s.count; i++) {
            double a[3];
            attraction(s, i, a);
            for (uint32_t c = 0; c < 3; c++)
                s.acceleration[i + c * s.count] = (float) a[c];
        }
        for (uint32_t k = 0; k < 3 * s.count; k++) {
            s.velocity[k] = fmaf(STEP / 2, s.acceleration[k], s.velocity[k]);
            if (n == steps)
                continue;
            s.velocity[k] = fmaf(STEP / 2, s.acceleration[k], s.velocity[k]);
            s.position[k] = fmaf(STEP, s.velocity[k], s.position[k]);
        }
    }
    return s;
}

/* ---- The kernel ------------------------------------------------------------------------------------------------- */

/* The same by the kernel. `extent`: what the first try takes for it. */
template <int R, nbody_masses KIND> static cloud computed(cloud s, uint32_t steps, uint32_t blocks, uint32_t extent)
{
    constexpr int PAIRS = 12;
    const uint32_t pairs = nbody_task_count(s.tiles, 1);
    std::vector<unsigned long long> sums(NBODY_TURNS * 6 * s.count);
    nbody_scale scales[1 + NBODY_TURNS] = {};
    scales[0].extent = extent;
    nbody_step<float> step = {};
    step.field = {s.position.data(),
                  s.velocity.data(),
                  s.acceleration.data(),
                  s.mass.data(),
                  s.count,
                  sums.data(),
                  nullptr,
                  scales,
                  s.count,
                  0,
                  1,
                  55,
                  SOFTENING,
                  0,
                  s.runs.data()};
    int exponent;
    frexp((double) s.count * 4, &exponent); /* of mass: 1 in the kernel is more than the sum of all */
    step.field.mass_unit = (float) ldexp(1, -exponent);
    for (nbody_run &run : s.runs)
        run.mass = ldexp(run.mass, -exponent);
    step.kick = STEP / 2, step.drift = STEP, step.g = gravity(s);
    step.mass_exponent = exponent, step.integrator = NBODY_LEAPFROG;
    for (std::vector<double> &block : memory)
        block.assign(GROUPS * sizeof(nbody_group<float, R, WARPS_OF_GROUP, PAIRS>) / sizeof(double), std::nan(""));
    launch_together([&] { nbody_resident<float, R, KIND, WARPS_OF_GROUP, GROUPS, PAIRS>(step, s.tiles, pairs, steps); },
                    blocks, 32 * WARPS_OF_GROUP * GROUPS);
    return s;
}

/* The largest difference, in units of the largest value. */
static double difference(const std::vector<float> &is, const std::vector<float> &should)
{
    double most = 0, size = 0;
    for (size_t i = 0; i < is.size(); i++) {
        const double error = std::fabs((double) is[i] - should[i]);
        most = error <= most ? most : error; /* also if it is no number */
        size = max(size, (double) std::fabs(should[i]));
    }
    return most / size;
}

static int failures;

static void check(bool holds, const char *what, uint32_t count, int rows)
{
    printf("%s: %s, %u bodies, %d rows\n", holds ? "ok" : "not ok", what, count, rows);
    failures += !holds;
}

template <int R, nbody_masses KIND> static void compare(uint32_t count, std::vector<std::vector<float>> species)
{
    constexpr uint32_t STEPS = 5; /* more than there are sets of sums */
    const cloud start = make_cloud(count, 32 * R, species), should = expected(start, STEPS);
    const cloud two = computed<R, KIND>(start, STEPS, BLOCKS, NBODY_BIAS);
    check(difference(two.position, should.position) < 1e-6, "position", count, R);
    check(difference(two.velocity, should.velocity) < 1e-6, "velocity", count, R);
    check(difference(two.acceleration, should.acceleration) < 1e-6, "acceleration", count, R);
    const cloud one = computed<R, KIND>(start, STEPS, 1, NBODY_BIAS + 3); /* the first try must be repeated */
    check(one.position == two.position && one.velocity == two.velocity && one.acceleration == two.acceleration,
          "the bits of one block", count, R);
}

int main()
{
    compare<4, NBODY_SPECIES>(100, {{1}});
    compare<4, NBODY_SPECIES>(640, {{1}});
    compare<4, NBODY_SPECIES>(700, {{1}, {0}, {2, 1, 0}, {3}});
    compare<4, NBODY_POSITIVE>(500, {{1, 2, 3, 4}});
    compare<4, NBODY_ANY>(400, {{1, 0, 3}});
    compare<8, NBODY_SPECIES>(1000, {{0}, {1}, {4}});
    compare<8, NBODY_POSITIVE>(700, {{1, 2, 3}});
    compare<8, NBODY_ANY>(300, {{0, 2}});
    return failures > 0;
}
