#include "judge/conform/properties.h"
#include "base/error.h"

#include <string.h>

const struct property load_property[] = {{"loads", loads}, {0}};

const struct property plugin_properties[] = {
    {"the defaults of its parameters are valid", defaults_parse},
    {"generators give the same values in pieces as in one call", generators_do_not_depend_on_pieces},
    {0},
};

const struct property first_property[] = {{"takes a step", a_step_is_taken}, {0}};

const struct property impl_properties[] = {
    {"gives a reason when it refuses a configuration", refusals_have_reasons},
    {"can be created and destroyed without a step", create_and_destroy_alone},
    {"leaves nothing behind when it is destroyed", instances_leave_nothing},
    {"cells that are read and written in ranges equal the whole field", ranges_of_cells_fit_together},
    {"equals the reference for any number of steps per call", equals_reference},
    {"calls of one step equal one call of many steps", calls_of_one_step_add_up},
    {"is correct at every size", every_size_is_right},
    {"computes the values that its fields declare", values_are_declared},
    {"gives the same result everywhere on the torus", translations_commute},
    {"honours the edges of the grid", edges_are_honoured},
    {"memory around the cells does not change the result", memory_beside_the_cells_changes_nothing},
    {"does not change its source", sources_are_not_written},
    {"uses a state written from outside", written_states_are_used},
    {"continues from a saved state", resumed_runs_go_on},
    {"gives the same result when it runs again", runs_repeat},
    {"the number of threads does not change the result", threads_change_nothing},
    {"two instances that take turns do not affect each other", instances_take_turns},
    {"two instances at the same time do not affect each other", instances_run_at_the_same_time},
    {"a run in parts equals the whole", parts_equal_the_whole},
    {"a batch equals single runs", batches_equal_single_runs},
    {"a grid in tiles equals the grid in an array", tiles_equal_the_array},
    {"tuning parameters do not change the result", tuning_changes_no_result},
    {"hashes equal those of the reference", hashes_agree},
    {"metrics equal those of the reference", measures_agree},
    {"reports a lack of memory", create_survives_a_lack_of_memory},
    {"its cost is valid", costs_are_numbers},
    {0},
};

bool property_is_wanted(const struct property *property, const char *texts)
{
    bool wanted = !texts;
    for (size_t length; texts && !wanted; texts = texts[length] ? texts + length + 1 : NULL) {
        length = strcspn(texts, ",");
        wanted = memmem(property->name, strlen(property->name), texts, length) != NULL;
    }
    return wanted;
}

static bool is_in(const char *text, size_t length, const struct property *const *tables)
{
    for (; *tables; tables++)
        for (const struct property *property = *tables; property->name; property++)
            if (length > 0 && memmem(property->name, strlen(property->name), text, length))
                return true;
    return false;
}

int property_check_texts(const struct context *caller, const char *texts, const struct property *const *tables,
                         struct engine_error *error)
{
    char words[CONTEXT_WORDS];
    for (size_t length; texts; texts = texts[length] ? texts + length + 1 : NULL) {
        length = strcspn(texts, ",");
        if (!is_in(texts, length, tables))
            return error_set(error, ENGINE_STATUS_USAGE, "%s: no property has '%.*s' in its name",
                             context_words(caller, ENGINE_WORDS_OPTION, "property", words), (int) length, texts);
    }
    return 0;
}
