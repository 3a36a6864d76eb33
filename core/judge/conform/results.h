/* Properties of results; see properties.c. */
#ifndef CORE_JUDGE_CONFORM_RESULTS_H
#define CORE_JUDGE_CONFORM_RESULTS_H

struct test;

void equals_reference(struct test *test);
void calls_of_one_step_add_up(struct test *test);
void every_size_is_right(struct test *test);
void memory_beside_the_cells_changes_nothing(struct test *test);
void sources_are_not_written(struct test *test);
void written_states_are_used(struct test *test);
void resumed_runs_go_on(struct test *test);
void runs_repeat(struct test *test);
void threads_change_nothing(struct test *test);
void instances_take_turns(struct test *test);
void instances_run_at_the_same_time(struct test *test);

#endif
