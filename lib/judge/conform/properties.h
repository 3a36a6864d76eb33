/* The properties that every plugin and every implementation is tested for: their tables, and the functions that test
 * them. Such a function ends its process unless the property holds. */
#ifndef LIB_JUDGE_CONFORM_PROPERTIES_H
#define LIB_JUDGE_CONFORM_PROPERTIES_H

#include "judge/conform/test.h"

struct property {
    const char *name;
    void (*check)(struct test *test);
};

/* The last one of each has the name NULL. first_property says whether an implementation can be tried. */
extern const struct property load_property[], plugin_properties[], first_property[], impl_properties[];

/* Does the name contain one of these texts, which have commas between them? NULL: true. */
bool property_is_wanted(const struct property *property, const char *texts);

/* Refuses texts that no property of the tables contains; the last table is NULL. */
int property_check_texts(const struct context *caller, const char *texts, const struct property *const *tables,
                         struct engine_error *error);

/* Properties of the plugin (life_cycle.c). */
void loads(struct test *test);
void defaults_parse(struct test *test);
void generators_do_not_depend_on_pieces(struct test *test);

/* Properties of an implementation: everything around its results (life_cycle.c). */
void a_step_is_taken(struct test *test);
void refusals_have_reasons(struct test *test);
void create_and_destroy_alone(struct test *test);
void ranges_of_cells_fit_together(struct test *test);
void tuning_changes_no_result(struct test *test);
void hashes_agree(struct test *test);
void measures_agree(struct test *test);
void costs_are_numbers(struct test *test);

/* What it leaves behind (leaks.c). */
void instances_leave_nothing(struct test *test);
void create_survives_a_lack_of_memory(struct test *test);

/* Its results (results.c). */
void equals_reference(struct test *test);
void calls_of_one_step_add_up(struct test *test);
void every_size_is_right(struct test *test);
void values_are_declared(struct test *test);
void memory_beside_the_cells_changes_nothing(struct test *test);
void runs_repeat(struct test *test);
void threads_change_nothing(struct test *test);
void instances_take_turns(struct test *test);
void instances_run_at_the_same_time(struct test *test);

/* States between calls (states.c). */
void sources_are_not_written(struct test *test);
void written_states_are_used(struct test *test);
void resumed_runs_go_on(struct test *test);

/* Its results on grids (grids.c). */
void translations_commute(struct test *test);

/* Its results on grids that are no torus (edges.c). */
void edges_are_honoured(struct test *test);

/* Its results in parts (parts.c). */
void parts_equal_the_whole(struct test *test);

/* Its results in a batch (batch.c), and in tiles (tiles.c). */
void batches_equal_single_runs(struct test *test);
void tiles_equal_the_array(struct test *test);

#endif
