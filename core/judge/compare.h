/* How far two arrays are apart: bit by bit, and as numbers relative to the largest one. Whole states are compared in
 * pieces, so that no canonical array is ever held as a whole. */
#ifndef CORE_JUDGE_COMPARE_H
#define CORE_JUDGE_COMPARE_H

#include "run/state.h"

enum { ELEMENT_BYTES_MAX = 16 };

struct comparison {
    uint64_t elements;  /* compared */
    uint64_t differing; /* of them, in any bit */
    uint64_t first;     /* number of the first that differs, in the canonical array */
    unsigned char is[ELEMENT_BYTES_MAX], should[ELEMENT_BYTES_MAX]; /* that element, here and in the reference */
    double largest;                                                 /* magnitude in the reference, of what is finite */
    double max;       /* largest error; infinite where one number is finite and the other is not, or one is no number */
    double squares;   /* sum of squared errors */
    uint64_t numbers; /* measured: a complex element is two */
    uint64_t *histogram; /* of errors, in 64 classes an octave; NULL: errors are not measured */
    uint32_t components; /* elements of a cell or particle: 1, unless set before the first are added */
    uint64_t vectors;    /* cells or particles measured */
    uint64_t *own;       /* of each one's error as a vector, relative to its own magnitude in the reference */
};

/* Errors relative to the largest magnitude in the reference, and those of whole cells or particles relative to their
 * own. The quantiles are at most 1.6% too large, never too small. */
struct deviation {
    double max, rms, median, p999;
    double own_median, own_p999;
};

/* `numbers`: measures errors too, beside bits. */
int comparison_open(struct comparison *comparison, bool numbers, struct engine_error *error);
void comparison_close(struct comparison *comparison);

/* Goes on with `count` elements of a type, whole cells or particles. */
void comparison_add(struct comparison *comparison, uint32_t type, const void *is, const void *should, uint64_t count);

/* Compares a field of two states that stand at the same step. */
int comparison_add_field(struct comparison *comparison, const struct state *is, const struct state *should,
                         uint32_t field, struct engine_error *error);

/* All 0 where errors were not measured. */
struct deviation comparison_deviation(const struct comparison *comparison);

/* Writes an element's place, as "(x 3, y 17)" or "17" or "(17, component 2)". Returns text. */
const char *element_place(const struct engine_field *field, const struct engine_shape *shape, uint64_t element,
                          char text[96]);

/* Writes an element's value so that two that differ look different. Returns text. */
const char *element_text(uint32_t type, const void *element, char text[64]);

#endif
