/* Sums over bodies that attract, for the bodies of a leaf; included once for each precision, with REAL defined as float
 * or double. Lanes are bodies that attract. TARGETS bodies of the leaf share the loads. */
#define NAME(name)    JOIN(name##_, REAL)
#define VEC           JOIN(vec_, REAL)
#define WIDTH         (VEC_BYTES / sizeof(REAL))
#define FMA(a, b, c)  JOIN(FMA_, REAL)(a, b, c)
#define SPLAT(a)      JOIN(SPLAT_, REAL)(a)
#define CUBE(s, zero) JOIN(cube_, REAL)(s, zero)

INLINE VEC NAME(numbers)(const struct tree_near *near, int c, uint64_t j)
{
    return *(const VEC *) ((const REAL *) near->numbers[c] + j);
}

INLINE REAL NAME(target)(const struct tree_targets *targets, int c, uint64_t i)
{
    return ((const REAL *) targets->sorted[c])[i];
}

/* For `count` bodies from i on. */
INLINE void NAME(attract)(const struct tree_near *near, const struct tree_targets *targets, uint64_t i, int count,
                          int zero)
{
    VEC at[TARGETS][3], sum[TARGETS][3];
    const VEC softening2 = SPLAT(near->softening * near->softening);
    UNROLL for (int n = 0; n < count; n++) UNROLL for (int c = 0; c < 3; c++)
    {
        const REAL x = NAME(target)(targets, c, i + (uint64_t) n);
        at[n][c] = SPLAT(x);
        sum[n][c] = SPLAT(0);
    }
    for (uint64_t j = 0; j < near->count; j += WIDTH) {
        const VEC x = NAME(numbers)(near, 0, j), y = NAME(numbers)(near, 1, j), z = NAME(numbers)(near, 2, j);
        const VEC mass = NAME(numbers)(near, 3, j);
        UNROLL for (int n = 0; n < count; n++)
        {
            const VEC d[3] = {x - at[n][0], y - at[n][1], z - at[n][2]};
            const VEC s = FMA(d[2], d[2], FMA(d[1], d[1], FMA(d[0], d[0], softening2)));
            const VEC weight = mass * CUBE(s, zero);
            UNROLL for (int c = 0; c < 3; c++) sum[n][c] = FMA(weight, d[c], sum[n][c]);
        }
    }
    UNROLL for (int n = 0; n < count; n++) UNROLL for (int c = 0; c < 3; c++)
        targets->sums[c][i - targets->begin + (uint64_t) n] += (double) JOIN(SUM_, REAL)(sum[n][c]);
}

INLINE void NAME(attract_all)(const struct tree_near *near, const struct tree_targets *targets, int zero)
{
    uint64_t i = targets->begin;
    for (; i + TARGETS <= targets->end; i += TARGETS)
        NAME(attract)(near, targets, i, TARGETS, zero);
    for (; i < targets->end; i++)
        NAME(attract)(near, targets, i, 1, zero);
}

static void NAME(near)(const struct tree_near *near, const struct tree_targets *targets)
{
    if (near->softening > 0)
        NAME(attract_all)(near, targets, 0);
    else
        NAME(attract_all)(near, targets, 1);
}

static void NAME(potential)(const struct tree_near *near, const struct tree_targets *targets)
{
    for (uint64_t i = targets->begin; i < targets->end; i++) {
        vec_double sum = SPLAT_double(0);
        for (uint64_t j = 0; j < near->count; j += LANES) {
            vec_double s = SPLAT_double(near->softening * near->softening), mass = SPLAT_double(0);
            for (uint64_t lane = 0; lane < LANES; lane++)
                mass[lane] = (double) ((const REAL *) near->numbers[3])[j + lane];
            for (int c = 0; c < 3; c++)
                for (uint64_t lane = 0; lane < LANES; lane++) {
                    const double x = (double) ((const REAL *) near->numbers[c])[j + lane];
                    const double d = x - (double) NAME(target)(targets, c, i);
                    s[lane] += d * d;
                }
            sum += mass * root_double(s);
        }
        targets->sums[3][i - targets->begin] += SUM_double(sum);
    }
}

#undef NAME
#undef VEC
#undef WIDTH
#undef FMA
#undef SPLAT
#undef CUBE
