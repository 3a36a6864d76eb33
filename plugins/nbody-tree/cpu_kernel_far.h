/* Expansions of cells, in double. Lanes are cells that attract:
 *
 *     D of |d|        R_n = (2 d/ds)^n s^(-1/2) = (-1)^n (2n - 1)!! s^(-1/2 - n) at the origin of the table, for the
 *                     highest n first. From one n to the next lower one, each D is d_axis times a neighbour of the table
 *                     and a multiple of the next neighbour (McMurchie and Davidson, Journal of Computational Physics 26
 *                     (1978) 218). Terms are taken in descending order, so that those of the n before are still there.
 *     L_m             sum over n of M_n D_(n+m). Three terms m of an order share the loads of M. There are no dipoles.
 *
 * Lanes are added up at the end of a list. */

/* Exchanges rows and columns. LOW takes the elements whose bit `s` of the index is 0 from a, and those from b behind them. */
#if VEC_BYTES == 64
#define EXCHANGE(s, low, high) \
    UNROLL for (int i = 0; i < 8; i++) if (!(i & (s))) \
    { \
        const vec_double a = v[i], b = v[i + (s)]; \
        v[i] = __builtin_shufflevector(a, b, LIST low); \
        v[i + (s)] = __builtin_shufflevector(a, b, LIST high); \
    }
#define LIST(...) __VA_ARGS__
INLINE void transpose(vec_double v[8]){EXCHANGE(1, (0, 8, 2, 10, 4, 12, 6, 14), (1, 9, 3, 11, 5, 13, 7, 15))
                                           EXCHANGE(2, (0, 1, 8, 9, 4, 5, 12, 13), (2, 3, 10, 11, 6, 7, 14, 15))
                                               EXCHANGE(4, (0, 1, 2, 3, 8, 9, 10, 11), (4, 5, 6, 7, 12, 13, 14, 15))}
#elif VEC_BYTES == 32
INLINE void transpose(vec_double v[4])
{
    const vec_double a = __builtin_shufflevector(v[0], v[1], 0, 4, 2, 6),
                     b = __builtin_shufflevector(v[0], v[1], 1, 5, 3, 7);
    const vec_double c = __builtin_shufflevector(v[2], v[3], 0, 4, 2, 6),
                     d = __builtin_shufflevector(v[2], v[3], 1, 5, 3, 7);
    v[0] = __builtin_shufflevector(a, c, 0, 1, 4, 5);
    v[1] = __builtin_shufflevector(b, d, 0, 1, 4, 5);
    v[2] = __builtin_shufflevector(a, c, 2, 3, 6, 7);
    v[3] = __builtin_shufflevector(b, d, 2, 3, 6, 7);
}
#else
INLINE void transpose(vec_double v[2])
{
    const vec_double a = {v[0][0], v[1][0]}, b = {v[0][1], v[1][1]};
    v[0] = a;
    v[1] = b;
}
#endif

enum {
    LANES = VEC_BYTES / 8,
    SIDE_MAX = TREE_ORDER_MAX + 1
};

/* The moments of a vector of cells, and where they are seen from. */
struct sources {
    vec_double d[3];
    vec_double moments[TREE_TERMS_MAX + TREE_PADDING];
};

static const double no_moments[TREE_TERMS_MAX + TREE_PADDING] __attribute__((aligned(64)));

/* Lanes behind the last cell have no moments. */
INLINE void load_sources(const struct tree *tree, const double centre[3], const uint32_t *cells, uint64_t count,
                         struct sources *sources)
{
    const double *moments[LANES];
    for (uint64_t lane = 0; lane < LANES; lane++) {
        const uint32_t cell = cells[lane < count ? lane : 0];
        moments[lane] = lane < count ? tree->moments + (size_t) cell * (size_t) tree->terms.padded : no_moments;
        for (int c = 0; c < 3; c++)
            sources->d[c][lane] = centre[c] - tree->cells[cell].centre[c];
    }
    for (int t = 0; t < tree->terms.count; t += LANES) {
        vec_double v[LANES];
        UNROLL for (int lane = 0; lane < LANES; lane++) v[lane] = *(const vec_double *) (moments[lane] + t);
        transpose(v);
        UNROLL for (int lane = 0; lane < LANES; lane++) sources->moments[t + lane] = v[lane];
    }
}

INLINE void derive(const struct tree_terms *terms, const vec_double d[3], double softening, vec_double *table)
{
    const vec_double s = d[0] * d[0] + d[1] * d[1] + d[2] * d[2] + softening * softening;
    const vec_double root = root_double(s), inverse = -root * root;
    vec_double origin[SIDE_MAX];
    origin[0] = root;
    for (int n = 1; n <= terms->order; n++)
        origin[n] = origin[n - 1] * inverse * (double) (2 * n - 1);
    table[0] = origin[terms->order];
    for (int n = terms->order - 1; n >= 0; n--) {
        for (int order = terms->order - n; order > 0; order--) {
            int t = terms->end[order - 1];
            for (; t < terms->simple[order]; t++)
                table[terms->offset[t]] = d[terms->axis[t]] * table[terms->first[t]];
            for (; t < terms->end[order]; t++)
                table[terms->offset[t]] = FMA_double(SPLAT_double(terms->times[t]), table[terms->second[t]],
                                                     d[terms->axis[t]] * table[terms->first[t]]);
        }
        table[0] = origin[n];
    }
}

/* Adds to `width` terms from m on. */
INLINE void contract(const struct tree_terms *terms, const vec_double *moments, const vec_double *table, int m,
                     int width, int end, vec_double *local)
{
    const vec_double *from[3];
    vec_double sum[3];
    UNROLL for (int w = 0; w < width; w++)
    {
        from[w] = table + terms->offset[m + w];
        sum[w] = FMA_double(moments[0], *from[w], local[m + w]);
    }
    for (int n = terms->end[1]; n < end; n++) {
        const vec_double moment = moments[n];
        const int offset = terms->offset[n];
        UNROLL for (int w = 0; w < width; w++) sum[w] = FMA_double(moment, from[w][offset], sum[w]);
    }
    UNROLL for (int w = 0; w < width; w++) local[m + w] = sum[w];
}

INLINE void add_sources(const struct tree_terms *terms, const struct sources *sources, double softening, int last,
                        vec_double *local)
{
    vec_double table[SIDE_MAX * SIDE_MAX * SIDE_MAX];
    derive(terms, sources->d, softening, table);
    for (int order = 0, m = 0; order <= last; order++) {
        const int end = terms->end[terms->order - order];
        for (; m + 3 <= terms->end[order]; m += 3)
            contract(terms, sources->moments, table, m, 3, end, local);
        for (; m < terms->end[order]; m++)
            contract(terms, sources->moments, table, m, 1, end, local);
    }
}

static void far(const struct tree *tree, const double centre[3], const uint32_t *cells, uint64_t count, int order,
                double *local)
{
    const struct tree_terms *terms = &tree->terms;
    const int count_of_terms = terms->end[order];
    vec_double sums[TREE_TERMS_MAX];
    struct sources sources;
    for (int t = 0; t < count_of_terms; t++)
        sums[t] = SPLAT_double(0);
    for (uint64_t i = 0; i < count; i += LANES) {
        load_sources(tree, centre, cells + i, count - i, &sources);
        add_sources(terms, &sources, tree->softening, order, sums);
    }
    for (int t = 0; t < count_of_terms; t++)
        local[t] += terms->inverse[t] * SUM_double(sums[t]);
}

/* ---- Polynomials ------------------------------------------------------------------------------------------------ */

INLINE vec_double positions_of(const struct tree_targets *targets, uint32_t precision, int c, uint64_t i)
{
    vec_double x = SPLAT_double(0);
    for (uint64_t lane = 0; lane < LANES && i + lane < targets->end; lane++)
        x[lane] = precision == NBODY_DOUBLE ? ((const double *) targets->sorted[c])[i + lane]
                                            : (double) ((const float *) targets->sorted[c])[i + lane];
    return x;
}

/* Lanes are bodies. */
static void evaluate(const struct tree_terms *terms, uint32_t precision, const double centre[3], const double *local,
                     const struct tree_targets *targets)
{
    for (uint64_t i = targets->begin; i < targets->end; i += LANES) {
        vec_double power[TREE_TERMS_MAX], d[3], sum[4] = {{0}, {0}, {0}, SPLAT_double(local[0])};
        for (int c = 0; c < 3; c++)
            d[c] = positions_of(targets, precision, c, i) - centre[c];
        power[0] = SPLAT_double(1);
        for (int t = 1; t < terms->count; t++) {
            power[t] = power[terms->lower[t]] * d[terms->axis[t]];
            sum[3] += local[t] * power[t];
        }
        for (int t = 0; t < terms->end[terms->order - 1]; t++)
            for (int c = 0; c < 3; c++)
                sum[c] += (local[terms->up[c][t]] * (terms->power[t][c] + 1)) * power[t];
        for (int c = 0; c < 4; c++)
            for (uint64_t lane = 0; lane < LANES; lane++)
                targets->sums[c][i - targets->begin + lane] += sum[c][lane];
    }
}
