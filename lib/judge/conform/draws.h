/* Verifies configurations that are drawn, and makes the first that fails smaller. */
#ifndef LIB_JUDGE_CONFORM_DRAWS_H
#define LIB_JUDGE_CONFORM_DRAWS_H

#include "judge/conform/request.h"

/* Draws request->draws configurations of the plugin, of which the first has the number request->seed, and verifies each
 * in a process of its own. Reports one property: whether all keep their promises. ENGINE_STATUS_DEVICE. */
int draws_examine(struct conform_request *request, struct engine_error *error);

#endif
