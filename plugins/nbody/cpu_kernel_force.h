/* Sums over blocks of bodies in one precision; included once for each, with REAL defined as float or double. Lanes are
 * bodies i. d = x_j - x_i, s = d^2 + softening^2, w = s^(-3/2):
 *
 *   plain, diagonal   Four vectors of i stay in registers, and bodies j are broadcast. With AVX-512 and floats 16
 *                     interactions take 3 subtractions, 3 multiply-adds, the cube, a mass and 3 multiply-adds.
 *   jerks             The same with velocities, one vector at a time.
 *   pairs             Four bodies j and their sums stay in registers, and vectors of i and their sums pass by: one
 *                     cube, two masses and 6 multiply-adds for 32 interactions.
 *
 *                          i0 .. i15     i16 .. i31     i32 .. i47   ...      memory: positions, masses and sums of i
 *                     j0   ---------->   ---------->    ---------->
 *                     j1   ---------->   ...                                  registers: positions, masses and sums of
 *                     j2                                                      j0 to j3; the sum of a j is a vector,
 *                     j3                                                      whose lanes are added once a block
 *
 * Sums in REAL are those of one block; blocks are added in double. */
#define NAME(name)    JOIN(name##_, REAL)
#define VEC           JOIN(vec_, REAL)
#define LANES         (VEC_BYTES / sizeof(REAL))
#define FMA(a, b, c)  JOIN(FMA_, REAL)(a, b, c)
#define FNMA(a, b, c) JOIN(FNMA_, REAL)(a, b, c)
#define SPLAT(a)      JOIN(SPLAT_, REAL)(a)
#define CUBE(s, zero) JOIN(cube_, REAL)(s, zero)

/* Positions, velocities or sums of a vector of bodies. */
struct NAME(xyz) {
    VEC x, y, z;
};

INLINE struct NAME(xyz) NAME(difference)(struct NAME(xyz) to, struct NAME(xyz) from)
{
    return (struct NAME(xyz)){to.x - from.x, to.y - from.y, to.z - from.z};
}

INLINE VEC NAME(square)(struct NAME(xyz) d, VEC softening2)
{
    return FMA(d.z, d.z, FMA(d.y, d.y, FMA(d.x, d.x, softening2)));
}

INLINE void NAME(add)(struct NAME(xyz) * sum, VEC weight, struct NAME(xyz) d)
{
    sum->x = FMA(weight, d.x, sum->x);
    sum->y = FMA(weight, d.y, sum->y);
    sum->z = FMA(weight, d.z, sum->z);
}

INLINE void NAME(subtract)(struct NAME(xyz) * sum, VEC weight, struct NAME(xyz) d)
{
    sum->x = FNMA(weight, d.x, sum->x);
    sum->y = FNMA(weight, d.y, sum->y);
    sum->z = FNMA(weight, d.z, sum->z);
}

/* Numbers i to i + LANES - 1 of an array; and number j in every lane. */
INLINE VEC NAME(load)(const void *array, uint64_t i)
{
    return *(const VEC *) ((const REAL *) array + i);
}

INLINE VEC NAME(broadcast)(const void *array, uint64_t j)
{
    const REAL number = ((const REAL *) array)[j];
    return SPLAT(number);
}

INLINE struct NAME(xyz) NAME(positions_at)(const struct nbody_job *job, uint64_t i)
{
    return (struct NAME(xyz)){NAME(load)(job->x, i), NAME(load)(job->y, i), NAME(load)(job->z, i)};
}

INLINE struct NAME(xyz) NAME(position_of)(const struct nbody_job *job, uint64_t j)
{
    return (struct NAME(xyz)){NAME(broadcast)(job->x, j), NAME(broadcast)(job->y, j), NAME(broadcast)(job->z, j)};
}

INLINE uint64_t NAME(block_end)(const struct nbody_job *job, uint64_t block)
{
    const uint64_t end = (block + 1) * job->block;
    return end < job->padded ? end : job->padded;
}

/* ---- One side --------------------------------------------------------------------------------------------------- */

/* Adds a vector's sums in REAL to those of a side. */
INLINE void NAME(flush)(const struct nbody_job *job, int side, uint64_t i, struct NAME(xyz) sum)
{
    double *to = job->sums[side] + i;
    for (uint64_t lane = 0; lane < LANES; lane++) {
        to[lane] += (double) sum.x[lane];
        to[job->padded + lane] += (double) sum.y[lane];
        to[2 * job->padded + lane] += (double) sum.z[lane];
    }
}

/* Adds the attraction of bodies [begin, end) on `vectors` vectors from body i on. `zero`: a distance may be 0. */
INLINE void NAME(attract)(const struct nbody_job *job, uint64_t i, int vectors, uint64_t begin, uint64_t end, int zero)
{
    struct NAME(xyz) at[VECTORS], sum[VECTORS];
    const VEC softening2 = SPLAT(job->softening * job->softening);
    UNROLL for (int v = 0; v < vectors; v++)
    {
        at[v] = NAME(positions_at)(job, i + (uint64_t) v * LANES);
        sum[v] = (struct NAME(xyz)){SPLAT(0), SPLAT(0), SPLAT(0)};
    }
    for (uint64_t j = begin; j < end; j++) {
        const struct NAME(xyz) other = NAME(position_of)(job, j);
        const VEC mass = NAME(broadcast)(job->mass, j);
        UNROLL for (int v = 0; v < vectors; v++)
        {
            const struct NAME(xyz) d = NAME(difference)(other, at[v]);
            NAME(add)(&sum[v], mass * CUBE(NAME(square)(d, softening2), zero), d);
        }
    }
    UNROLL for (int v = 0; v < vectors; v++) NAME(flush)(job, 0, i + (uint64_t) v * LANES, sum[v]);
}

/* Adds the attraction of block `other` on a block. */
INLINE void NAME(attract_block)(const struct nbody_job *job, uint64_t block, uint64_t other, int zero)
{
    const uint64_t begin = other * job->block, end = NAME(block_end)(job, other), last = NAME(block_end)(job, block);
    uint64_t i = block * job->block;
    for (; i + VECTORS * LANES <= last; i += VECTORS * LANES)
        NAME(attract)(job, i, VECTORS, begin, end, zero);
    for (; i < last; i += LANES)
        NAME(attract)(job, i, 1, begin, end, zero);
}

static void NAME(clear)(const struct nbody_job *job, uint64_t block, int side)
{
    const uint64_t begin = block * job->block, end = NAME(block_end)(job, block);
    for (uint64_t c = 0; c < 3; c++)
        memset(job->sums[side] + c * job->padded + begin, 0, (end - begin) * sizeof(double));
}

static void NAME(diagonal)(const struct nbody_job *job, uint64_t block)
{
    NAME(clear)(job, block, 0);
    if (job->softening > 0)
        NAME(attract_block)(job, block, block, 0);
    else
        NAME(attract_block)(job, block, block, 1);
}

static void NAME(plain)(const struct nbody_job *job, uint64_t block)
{
    NAME(clear)(job, block, 0);
    for (uint64_t other = 0; other < nbody_blocks(job); other++)
        if (job->softening > 0)
            NAME(attract_block)(job, block, other, 0);
        else
            NAME(attract_block)(job, block, other, 1);
}

/* ---- Jerks ------------------------------------------------------------------------------------------------------ */

INLINE struct NAME(xyz) NAME(velocities_at)(const struct nbody_job *job, uint64_t i)
{
    return (struct NAME(xyz)){NAME(load)(job->vx, i), NAME(load)(job->vy, i), NAME(load)(job->vz, i)};
}

INLINE struct NAME(xyz) NAME(velocity_of)(const struct nbody_job *job, uint64_t j)
{
    return (struct NAME(xyz)){NAME(broadcast)(job->vx, j), NAME(broadcast)(job->vy, j), NAME(broadcast)(job->vz, j)};
}

/* Adds the attraction of bodies [begin, end) on a vector from i on, m d / s^(3/2), and its change with time,
 * m (u - 3 (d u) d / s) / s^(3/2), where u is the relative velocity. */
INLINE void NAME(jerk)(const struct nbody_job *job, uint64_t i, uint64_t begin, uint64_t end)
{
    const struct NAME(xyz) at = NAME(positions_at)(job, i), moving = NAME(velocities_at)(job, i);
    const VEC softening2 = SPLAT(job->softening * job->softening);
    struct NAME(xyz) sum = {SPLAT(0), SPLAT(0), SPLAT(0)}, change = sum;
    for (uint64_t j = begin; j < end; j++) {
        const struct NAME(xyz) d = NAME(difference)(NAME(position_of)(job, j), at);
        const struct NAME(xyz) u = NAME(difference)(NAME(velocity_of)(job, j), moving);
        const VEC s = NAME(square)(d, softening2);
        const VEC weight = NAME(broadcast)(job->mass, j) * CUBE(s, 1);
        const VEC along = FMA(d.z, u.z, FMA(d.y, u.y, d.x * u.x));
        NAME(add)(&sum, weight, d);
        NAME(add)(&change, weight, u);
        NAME(subtract)(&change, JOIN(WHERE_, REAL)(s > 0, 3 * along / s) * weight, d);
    }
    NAME(flush)(job, 0, i, sum);
    NAME(flush)(job, 1, i, change);
}

static void NAME(jerks)(const struct nbody_job *job, uint64_t block)
{
    NAME(clear)(job, block, 0);
    NAME(clear)(job, block, 1);
    for (uint64_t other = 0; other < nbody_blocks(job); other++)
        for (uint64_t i = block * job->block; i < NAME(block_end)(job, block); i += LANES)
            NAME(jerk)(job, i, other * job->block, NAME(block_end)(job, other));
}

/* ---- Both sides ------------------------------------------------------------------------------------------------- */

/* Sums in REAL for the vectors i of a block. */
struct NAME(partial) {
    struct NAME(xyz) of[NBODY_BLOCK_MAX / LANES];
};

/* Bodies j to j + BODIES - 1 with the vectors of a block that begins at body i. `slot`: where their sums along x go. */
INLINE void NAME(interact)(const struct nbody_job *job, uint64_t i, uint64_t vectors, uint64_t j,
                           struct NAME(partial) * partial, REAL *slot, int zero)
{
    struct NAME(xyz) other[BODIES], sum[BODIES];
    VEC mass[BODIES];
    const VEC softening2 = SPLAT(job->softening * job->softening);
    UNROLL for (uint64_t n = 0; n < BODIES; n++)
    {
        other[n] = NAME(position_of)(job, j + n);
        mass[n] = NAME(broadcast)(job->mass, j + n);
        sum[n] = (struct NAME(xyz)){SPLAT(0), SPLAT(0), SPLAT(0)};
    }
    for (uint64_t v = 0; v < vectors; v++) {
        const struct NAME(xyz) here = NAME(positions_at)(job, i + v * LANES);
        const VEC here_mass = NAME(load)(job->mass, i + v * LANES);
        struct NAME(xyz) here_sum = partial->of[v];
        UNROLL for (uint64_t n = 0; n < BODIES; n += ABREAST)
        {
            struct NAME(xyz) d[ABREAST];
            VEC cube[ABREAST];
            UNROLL for (uint64_t k = 0; k < ABREAST; k++) d[k] = NAME(difference)(other[n + k], here);
            UNROLL for (uint64_t k = 0; k < ABREAST; k++) cube[k] = NAME(square)(d[k], softening2);
            UNROLL for (uint64_t k = 0; k < ABREAST; k++) cube[k] = CUBE(cube[k], zero);
            UNROLL for (uint64_t k = 0; k < ABREAST; k++)
            {
                NAME(add)(&here_sum, cube[k] * mass[n + k], d[k]);
                NAME(subtract)(&sum[n + k], cube[k] * here_mass, d[k]);
            }
        }
        partial->of[v] = here_sum;
    }
    UNROLL for (uint64_t n = 0; n < BODIES; n++)
    {
        slot[n] = JOIN(SUM_, REAL)(sum[n].x);
        slot[job->block + n] = JOIN(SUM_, REAL)(sum[n].y);
        slot[2 * job->block + n] = JOIN(SUM_, REAL)(sum[n].z);
    }
}

INLINE REAL *NAME(slot_at)(const struct nbody_job *job, uint64_t first, uint64_t slot)
{
    return (REAL *) job->slots + 3 * job->block * (first * job->slot_count + slot);
}

INLINE void NAME(interact_blocks)(const struct nbody_job *job, uint64_t first, uint64_t second, REAL *slot, int zero)
{
    const uint64_t i = first * job->block, vectors = (NAME(block_end)(job, first) - i) / LANES;
    struct NAME(partial) partial;
    memset(&partial, 0, vectors * sizeof partial.of[0]);
    for (uint64_t j = second * job->block; j < NAME(block_end)(job, second); j += BODIES, slot += BODIES)
        NAME(interact)(job, i, vectors, j, &partial, slot, zero);
    for (uint64_t v = 0; v < vectors; v++)
        NAME(flush)(job, 0, i + v * LANES, partial.of[v]);
}

static void NAME(pairs)(const struct nbody_job *job, uint64_t first, uint64_t second, uint64_t slot)
{
    if (job->softening > 0)
        NAME(interact_blocks)(job, first, second, NAME(slot_at)(job, first, slot), 0);
    else
        NAME(interact_blocks)(job, first, second, NAME(slot_at)(job, first, slot), 1);
}

static void NAME(collect)(const struct nbody_job *job, uint64_t first, uint64_t second, uint64_t slot)
{
    const uint64_t begin = second * job->block, bodies = NAME(block_end)(job, second) - begin;
    for (uint64_t c = 0; c < 3; c++) {
        const REAL *restrict from = NAME(slot_at)(job, first, slot) + c * job->block;
        double *restrict to = job->sums[1] + c * job->padded + begin;
        for (uint64_t i = 0; i < bodies; i++)
            to[i] += (double) from[i];
    }
}

/* ---- Stepping --------------------------------------------------------------------------------------------------- */

static void NAME(step)(uint64_t count, double h, const void *rate, void *value)
{
    for (uint64_t i = 0; i < count; i++)
        ((REAL *) value)[i] = NAME(nbody_step)((REAL) h, ((const REAL *) rate)[i], ((REAL *) value)[i]);
}

#undef NAME
#undef VEC
#undef LANES
#undef FMA
#undef FNMA
#undef SPLAT
#undef CUBE
