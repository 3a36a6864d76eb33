/* The results of a verification: lines for people, and JSON. */
#ifndef LIB_JUDGE_VERIFY_PRINT_H
#define LIB_JUDGE_VERIFY_PRINT_H

#include "ensemble/sweep.h"
#include "files/json.h"
#include "judge/verify.h"

/* Prints the results of one combination of swept values. */
void verify_print(FILE *to, const struct verification *verification, const struct sweeps *sweeps, uint64_t combination);

/* Prints what a check found that does not hold, without a line feed. */
void verify_print_difference(FILE *to, const struct verify_result *result, const struct verify_check *check);

/* Appends the results of one combination to a JSON array, one object for each implementation. */
void verify_append_json(struct json_object *array, const struct verification *verification, const struct sweeps *sweeps,
                        uint64_t combination);

#endif
