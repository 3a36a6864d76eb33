/* Expansions of cells; included once for each precision, with REAL defined as float or double. Lanes are cells that
 * attract. All is in units of each lane, in which d^2 + softening^2 = 1, so that no power leaves the range of a float:
 *
 *     D of d          starts with R_n = (2 d/ds)^n s^(-1/2) = (-1)^n (2n - 1)!! at the place of order 0, for the
 *                     highest n. From one n to the next lower one, each D is d_axis times a neighbour in the table, and
 *                     a multiple of the next neighbour (McMurchie and Davidson, Journal of Computational Physics 26
 *                     (1978) 218).
 *     L_m             sum over n of M_n D_(n+m). Three terms m of an order share the loads of M. There are no dipoles.
 *
 * Lanes are added up in units of the nearest cell's distance, and at the end of a list with each other. */
#define NAME(name)    JOIN(name##_, REAL)
#define VEC           JOIN(vec_, REAL)
#define WIDTH         (VEC_BYTES / JOIN(SIZE_, REAL))
#define FMA(a, b, c)  JOIN(FMA_, REAL)(a, b, c)
#define SPLAT(a)      JOIN(SPLAT_, REAL)(a)
#define MOMENTS(tree) ((const REAL *) (tree)->moments)

/* Exchanges rows and columns: the elements whose index has bit s come from b to a, and those without it from a to b. */
#define LOW(i, s)  ((i) & (s) ? WIDTH + (i) - (s) : (i))
#define HIGH(i, s) ((i) & (s) ? WIDTH + (i) : (i) + (s))
#if VEC_BYTES / JOIN(SIZE_, REAL) == 16
#define INDICES(F, s) \
    F(0, s), F(1, s), F(2, s), F(3, s), F(4, s), F(5, s), F(6, s), F(7, s), F(8, s), F(9, s), F(10, s), F(11, s), \
        F(12, s), F(13, s), F(14, s), F(15, s)
#elif VEC_BYTES / JOIN(SIZE_, REAL) == 8
#define INDICES(F, s) F(0, s), F(1, s), F(2, s), F(3, s), F(4, s), F(5, s), F(6, s), F(7, s)
#elif VEC_BYTES / JOIN(SIZE_, REAL) == 4
#define INDICES(F, s) F(0, s), F(1, s), F(2, s), F(3, s)
#else
#define INDICES(F, s) F(0, s), F(1, s)
#endif
#define EXCHANGE(s) \
    UNROLL for (int i = 0; i < (int) WIDTH; i++) if (!(i & (s))) \
    { \
        const VEC a = v[i], b = v[i + (s)]; \
        v[i] = __builtin_shufflevector(a, b, INDICES(LOW, s)); \
        v[i + (s)] = __builtin_shufflevector(a, b, INDICES(HIGH, s)); \
    }

INLINE void NAME(transpose)(VEC v[WIDTH])
{
    EXCHANGE(1)
#if VEC_BYTES / JOIN(SIZE_, REAL) >= 4
    EXCHANGE(2)
#endif
#if VEC_BYTES / JOIN(SIZE_, REAL) >= 8
    EXCHANGE(4)
#endif
#if VEC_BYTES / JOIN(SIZE_, REAL) >= 16
    EXCHANGE(8)
#endif
}

/* A vector of cells in units of each one's distance. */
struct NAME(sources) {
    VEC d[3];
    VEC radius, mass; /* the mass in units of the root's */
    VEC nearest;      /* the distance of the nearest one */
    VEC moments[TREE_TERMS_MAX + TREE_PADDING];
};

/* Lanes behind the last cell are like the first, but without mass. */
INLINE void NAME(place)(const struct tree *tree, const struct tree_job *job, uint64_t begin, struct NAME(sources) * to)
{
    double d[3][WIDTH] __attribute__((aligned(64))), radius[WIDTH] __attribute__((aligned(64)));
    double mass[WIDTH] __attribute__((aligned(64)));
    for (uint64_t lane = 0; lane < WIDTH; lane++) {
        const int there = begin + lane < job->count;
        const struct tree_cell *cell = tree->cells + job->cells[there ? begin + lane : begin];
        for (int c = 0; c < 3; c++)
            d[c][lane] = job->centre[c] - cell->centre[c];
        radius[lane] = cell->radius;
        mass[lane] = there ? cell->mass : 0;
    }
    for (uint64_t lane = 0; lane < WIDTH; lane += LANES) {
        vec_double x[3], s = SPLAT_double(tree->softening * tree->softening);
        for (int c = 0; c < 3; c++) {
            x[c] = *(const vec_double *) (d[c] + lane);
            s = FMA_double(x[c], x[c], s);
        }
        const vec_double root = root_double(s);
        const vec_double out[6] = {x[0] * root,
                                   x[1] * root,
                                   x[2] * root,
                                   *(const vec_double *) (radius + lane) * root,
                                   *(const vec_double *) (mass + lane) * (1 / tree->cells[0].mass),
                                   job->nearest * root};
        VEC *const in[6] = {&to->d[0], &to->d[1], &to->d[2], &to->radius, &to->mass, &to->nearest};
        for (int k = 0; k < 6; k++)
            *(JOIN(part_, REAL) *) ((REAL *) in[k] + lane) = __builtin_convertvector(out[k], JOIN(part_, REAL));
    }
}

INLINE void NAME(load)(const struct tree *tree, const struct tree_job *job, uint64_t begin, struct NAME(sources) * to)
{
    const struct tree_terms *terms = &tree->terms;
    const REAL *moments[WIDTH];
    for (uint64_t lane = 0; lane < WIDTH; lane++)
        moments[lane] = MOMENTS(tree) +
                        (size_t) job->cells[begin + lane < job->count ? begin + lane : begin] * (size_t) terms->padded;
    for (int t = 0; t < terms->count; t += (int) WIDTH) {
        VEC v[WIDTH];
        UNROLL for (uint64_t lane = 0; lane < WIDTH; lane++) v[lane] = *(const VEC *) (moments[lane] + t);
        NAME(transpose)(v);
        UNROLL for (uint64_t lane = 0; lane < WIDTH; lane++) to->moments[(uint64_t) t + lane] = v[lane];
    }
    VEC power = to->mass;
    for (int order = 0, t = 0; order <= terms->order; order++, power *= to->radius)
        for (; t < terms->end[order]; t++)
            to->moments[t] *= power;
}

INLINE void NAME(derive)(const struct tree_terms *terms, const VEC d[3], VEC *table)
{
    for (int i = 0; i < terms->step_count; i++) {
        const struct tree_step *step = terms->steps + i;
        table[step->to] = FMA(SPLAT(step->times), table[step->second], d[step->axis] * table[step->first]);
    }
}

/* Adds to `width` terms from m on. `unit` is the power of the distance that they have. */
INLINE void NAME(contract)(const struct tree_terms *terms, const VEC *moments, const VEC *table, int m, int width,
                           int end, VEC unit, VEC *local)
{
    const VEC *from[3];
    VEC sum[3];
    UNROLL for (int w = 0; w < width; w++)
    {
        from[w] = table + terms->offset[m + w];
        sum[w] = moments[0] * *from[w];
    }
    for (int n = terms->end[1]; n < end; n++) {
        const VEC moment = moments[n];
        const int offset = terms->offset[n];
        UNROLL for (int w = 0; w < width; w++) sum[w] = FMA(moment, from[w][offset], sum[w]);
    }
    UNROLL for (int w = 0; w < width; w++) local[m + w] = FMA(sum[w], unit, local[m + w]);
}

INLINE void NAME(add_sources)(const struct tree_terms *terms, const struct NAME(sources) * sources, int last,
                              VEC *table, VEC *local)
{
    VEC unit = sources->nearest;
    NAME(derive)(terms, sources->d, table);
    for (int order = 0, m = 0; order <= last; order++, unit *= sources->nearest) {
        const int end = terms->end[terms->order - order];
        for (; m + 3 <= terms->end[order]; m += 3)
            NAME(contract)(terms, sources->moments, table, m, 3, end, unit, local);
        for (; m < terms->end[order]; m++)
            NAME(contract)(terms, sources->moments, table, m, 1, end, unit, local);
    }
}

static void NAME(far)(const struct tree *tree, const struct tree_job *job)
{
    const struct tree_terms *terms = &tree->terms;
    const int count = terms->end[job->order];
    VEC sums[TREE_TERMS_MAX], table[TREE_TABLE_MAX];
    struct NAME(sources) sources;
    for (int n = 0; n <= terms->order; n++)
        table[n == 0 ? 0 : terms->origin + n] = SPLAT(terms->origins[n]);
    for (int t = 0; t < count; t++)
        sums[t] = SPLAT(0);
    for (uint64_t i = 0; i < job->count; i += WIDTH) {
        NAME(place)(tree, job, i, &sources);
        NAME(load)(tree, job, i, &sources);
        NAME(add_sources)(terms, &sources, job->order, table, sums);
    }
    double unit = tree->cells[0].mass / job->nearest;
    for (int order = 0, t = 0; order <= job->order; order++, unit /= job->nearest)
        for (; t < terms->end[order]; t++)
            job->local[t] += terms->inverse[t] * unit * (double) JOIN(SUM_, REAL)(sums[t]);
}

#undef NAME
#undef VEC
#undef WIDTH
#undef FMA
#undef SPLAT
#undef MOMENTS
#undef LOW
#undef HIGH
#undef INDICES
#undef EXCHANGE
