/* The checks behind the properties; each ends its process unless the property holds. */
#ifndef CORE_JUDGE_CONFORM_PROPERTIES_H
#define CORE_JUDGE_CONFORM_PROPERTIES_H

/* life_cycle.c: of the plugin */
void defaults_parse(void);
void generators_do_not_care_for_splits(void);

/* life_cycle.c: of an implementation */
void refusals_have_reasons(void);
void create_and_destroy_alone(void);
void ranges_of_cells_fit_together(void);
void tuning_changes_no_result(void);
void hashes_agree(void);
void measures_agree(void);
void create_survives_a_lack_of_memory(void);
void costs_are_numbers(void);

/* results.c */
void equals_reference(void);
void calls_of_one_step_add_up(void);
void every_size_is_right(void);
void memory_beside_the_cells_changes_nothing(void);
void sources_stay_as_they_are(void);
void written_states_are_taken_up(void);
void resumed_runs_go_on(void);
void runs_repeat(void);
void threads_change_nothing(void);
void instances_take_turns(void);
void instances_run_at_the_same_time(void);

/* grids.c */
void translations_commute(void);

#endif
