/* Rows of a bench whose implementations run in processes of their own. The judge trusts the reference of the
 * configuration's plugin, and nothing else.
 *
 * A repeat is a question that is asked once: a state, and a number of steps. A process of the reference makes the state
 * from a seed that is drawn, and ends. The clock starts when the row's process gets the question, and stops when the
 * hash of the last state is back. Before, the process knew nothing of the state: its instance was made from another
 * one, and took its first step there. So the row can do nothing before, later, elsewhere or from memory. Only then
 * another process of the reference gets the question, and the judge computes the hash of its answer. */
#ifndef LIB_JUDGE_CONTEST_H
#define LIB_JUDGE_CONTEST_H

#include "judge/bench.h"

/* As bench_combination, with processes that bench->trial->start starts. bench->draw is set. */
int contest_combination(struct bench *bench, struct engine_config *config, uint64_t combination, char *const *names,
                        uint32_t count, struct engine_error *error);

#endif
