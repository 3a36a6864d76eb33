/* Writes files that are drawn, reads them again, and makes the first that fails smaller. */
#ifndef LIB_JUDGE_CONFORM_FORMAT_DRAWS_H
#define LIB_JUDGE_CONFORM_FORMAT_DRAWS_H

#include "judge/conform/request.h"

/* Draws request->draws files of the format under test, of which the first has the number request->seed. Each is written
 * and read in a process of its own. Reports one property. */
void format_draws_examine(struct conform_request *request);

#endif
