/* The polynomial of a leaf at its bodies, in double. Lanes are bodies. */

INLINE vec_double positions_of(const struct tree_targets *targets, uint32_t precision, int c, uint64_t i)
{
    vec_double x = SPLAT_double(0);
    for (uint64_t lane = 0; lane < LANES && i + lane < targets->end; lane++)
        x[lane] = precision == NBODY_DOUBLE ? ((const double *) targets->sorted[c])[i + lane]
                                            : (double) ((const float *) targets->sorted[c])[i + lane];
    return x;
}

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
