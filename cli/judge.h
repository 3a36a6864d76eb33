/* Starts engine-judge, the program in which an implementation runs apart. */
#ifndef CLI_JUDGE_H
#define CLI_JUDGE_H

#include "installed.h"
#include <engine/engine.h>

#define JUDGE_PROGRAM "engine-judge"

/* engine_trial.start. From the first call on, no process of this user can look into the memory of this one. */
int judge_start(void *user, int *socket, int64_t *process, struct engine_error *error);

#endif
