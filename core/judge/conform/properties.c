#include "judge/conform/properties.h"

const struct property plugin_properties[] = {
    {"defaults of its parameters parse", defaults_parse},
    {"generators do not depend on pieces", generators_do_not_depend_on_pieces},
    {0},
};

const struct property impl_properties[] = {
    {"says why it refuses a configuration", refusals_have_reasons},
    {"can be created and destroyed without a step", create_and_destroy_alone},
    {"ranges of cells fit together", ranges_of_cells_fit_together},
    {"equals the reference, whatever the steps of a call", equals_reference},
    {"calls of one step add up", calls_of_one_step_add_up},
    {"every size is right", every_size_is_right},
    {"does the same everywhere on the torus", translations_commute},
    {"memory beside the cells changes nothing", memory_beside_the_cells_changes_nothing},
    {"does not change its source", sources_are_not_written},
    {"uses a state written from outside", written_states_are_used},
    {"goes on from a state that was saved", resumed_runs_go_on},
    {"repeats", runs_repeat},
    {"threads change nothing", threads_change_nothing},
    {"two instances in turns", instances_take_turns},
    {"two instances at the same time", instances_run_at_the_same_time},
    {"tuning changes no result", tuning_changes_no_result},
    {"hashes agree", hashes_agree},
    {"measures agree", measures_agree},
    {"survives a lack of memory", create_survives_a_lack_of_memory},
    {"costs are numbers", costs_are_numbers},
    {0},
};
