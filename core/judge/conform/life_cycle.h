/* Properties of everything around the results; see properties.c. */
#ifndef CORE_JUDGE_CONFORM_LIFE_CYCLE_H
#define CORE_JUDGE_CONFORM_LIFE_CYCLE_H

struct test;

/* Of the plugin. */
void defaults_parse(struct test *test);
void generators_do_not_depend_on_pieces(struct test *test);

/* Of an implementation. */
void refusals_have_reasons(struct test *test);
void create_and_destroy_alone(struct test *test);
void ranges_of_cells_fit_together(struct test *test);
void tuning_changes_no_result(struct test *test);
void hashes_agree(struct test *test);
void measures_agree(struct test *test);
void create_survives_a_lack_of_memory(struct test *test);
void costs_are_numbers(struct test *test);

#endif
