/* How far two arrays are apart: bit by bit, and as numbers relative to the largest one. Fields of runs are compared in
 * pieces, so that no canonical array is ever held as a whole. */
#ifndef LIB_JUDGE_COMPARE_H
#define LIB_JUDGE_COMPARE_H

#include <engine/engine.h>

#include <stdbool.h>

enum { ELEMENT_BYTES_MAX = 16 };

/* An element that differs. */
struct difference {
    uint64_t element;                                               /* its number in the canonical array */
    unsigned char is[ELEMENT_BYTES_MAX], should[ELEMENT_BYTES_MAX]; /* here, and in the reference */
};

struct comparison {
    uint64_t elements;       /* the number of elements that were compared */
    uint64_t differing;      /* the number of elements that differ in any bit */
    struct difference first; /* the first element that differs in any bit */
    struct difference worst; /* the element with the largest error, if errors are measured */
    double largest;          /* the largest magnitude of a finite number in the reference */
    double max; /* largest error; infinite where one number is finite and the other is not, or one is not a number */
    double squares;         /* sum of squared errors */
    uint64_t numbers;       /* measured: a complex element is two */
    uint64_t *histogram;    /* of errors, in 64 classes an octave; NULL: errors are not measured */
    uint32_t components;    /* elements of a cell or particle: 1, unless set before the first are added */
    uint64_t vectors;       /* cells or particles measured */
    uint64_t *own_relative; /* histogram of each vector's error, relative to its own magnitude in the reference */
};

/* Errors relative to the largest magnitude in the reference, and errors of whole cells or particles relative to their
 * own magnitude. The quantiles are at most 1.6% too large, never too small. */
struct deviation {
    double max, rms, median, p999;
    double own_median, own_p999;
};

/* Begins a comparison. `numbers`: measure errors besides counting the elements that differ. */
int comparison_open(struct comparison *comparison, bool numbers, struct engine_error *error);
void comparison_close(struct comparison *comparison);

/* Compares `count` more elements of a type: whole cells or particles. */
void comparison_add(struct comparison *comparison, uint32_t type, const void *is, const void *should, uint64_t count);

/* Compares a field of two runs that stand at the same step. */
int comparison_add_field(struct comparison *comparison, const struct engine_run *is, const struct engine_run *should,
                         uint32_t field, struct engine_error *error);

/* Is everything equal, bit by bit, or no error larger than a tolerance, relative to the largest magnitude in the
 * reference? tolerance 0: bit by bit. */
bool comparison_holds(const struct comparison *comparison, double tolerance);

/* All members are 0 where errors were not measured. */
struct deviation comparison_deviation(const struct comparison *comparison);

/* A number of an array; a complex element is two numbers. */
double element_number(uint32_t type, const void *array, uint64_t index);

/* The numbers of an element: 2 of a complex one, 1 of others. */
uint32_t element_numbers(uint32_t type);

/* Writes an element's place, as "(x 3, y 17)" or "17" or "(17, component 2)". Returns text. */
const char *element_place(const struct engine_field *field, const struct engine_shape *shape, uint64_t element,
                          char text[96]);

/* Writes the two values of an element, with as many digits as it takes to tell them apart, and in hexadecimal digits
 * too where only their bits differ, as those of two NaNs. */
void difference_texts(uint32_t type, const struct difference *difference, char is[64], char should[64]);

#endif
