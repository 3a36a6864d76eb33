/* Which segments of a run an audit checks, and what that proves. */
#ifndef LIB_JUDGE_AUDIT_DRAW_H
#define LIB_JUDGE_AUDIT_DRAW_H

#include <stdint.h>

/* Draws `count` of the numbers 0 … total - 1, each set of them with the same probability, and writes them to `out` in
 * ascending order. count <= total. */
void audit_draw(uint64_t seed, uint64_t total, uint64_t count, uint64_t *out);

/* The probability that none of `wrong` segments is among `count` that are drawn of `total`: the hypergeometric
 * distribution, C(total - wrong, count) / C(total, count). */
double audit_miss(uint64_t total, uint64_t wrong, uint64_t count);

/* The number of segments that are 5 % of them: rounded up, at least 1. */
uint64_t audit_few(uint64_t total);

/* Writes a probability in percent, as "4.6 %"; 1 and 0 are written only where they are meant. Returns text. */
const char *audit_percent(double probability, char text[32]);

#endif
