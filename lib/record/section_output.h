/* [output]: which files a run writes, and when. */
#ifndef LIB_RECORD_SECTION_OUTPUT_H
#define LIB_RECORD_SECTION_OUTPUT_H

#include "files/io.h"
#include "plan/plan.h"
#include "record/asked.h"
#include "record/section_until.h"
#include "record/selection.h"

enum { OUTPUT_FORMATS_MAX = 16, OUTPUT_FIELDS_MAX = 1024 };

struct output_settings {
    uint64_t every;         /* 0: only the final state */
    uint64_t metrics_every; /* 0: a row at each output */
    uint64_t hash_every;    /* 0: no hashes are recorded */
    bool universe_metrics;  /* of a batch: rows of each universe, too */
    uint32_t format_count;
    const struct io_format *formats[OUTPUT_FORMATS_MAX];
    char fields[OUTPUT_FIELDS_MAX]; /* names of the states and outputs that are written; "": all */
    struct selection selection;     /* the part of each grid that is written */
    const char *probes;             /* "": none; record/probes.h */
    struct io_options how;          /* how the files are written */
    struct until_conditions until;  /* [run] until */
};

extern const struct section output_section;

/* The settings of a run, or of the run that a plan analyses. */
static inline struct output_settings *output_settings(const struct plan *plan)
{
    return settings_section(&plan->settings, &output_section);
}

/* The number of steps between two looks at the conditions of [run] until. */
uint64_t output_until_every(const struct plan *plan);

/* Checks that the chosen implementation can give what the conditions of [run] until need: metrics, or whether a state
 * repeats. If steps depend on random numbers or on an input, they do not repeat when the state does.
 * ENGINE_STATUS_USAGE. */
int plan_check_until(const struct plan *run, struct engine_error *error);

/* Does [run] until have a condition of this kind, UNTIL_METRIC …? */
bool plan_waits_for(const struct plan *plan, enum until_kind kind);

/* Does a condition need the state at the start of the run? */
bool plan_needs_start(const struct plan *plan);

/* ---- Requirements for the fields (output_checks.c) --------------------------------------------------------------- */

/* Checks what [output] of a run's configuration asks of the fields of the run and of its analysis, or NULL: the
 * formats, and the slice that pictures show. ENGINE_STATUS_USAGE. */
int output_check_plans(const struct plan *run, const struct plan *analysis, struct engine_error *error);

/* Tells the caller where Golly finds other cells in the files than the engine. */
void output_warn(const struct plan *plan);

/* Is the field, a state or an output, in the files that are written? */
static inline bool plan_is_written(const struct plan *plan, const struct engine_field *field)
{
    const char *fields = output_settings(plan)->fields;
    return plan_is_result(field) && (*fields ? text_has_word(fields, field->name) : plan_is_asked(plan, field));
}

/* Do [output] region, stride and reduce choose a part of the field? They are about grids. */
static inline bool plan_is_selected(const struct plan *plan, const struct engine_field *field)
{
    return field->kind == ENGINE_GRID &&
           (plan_is_unbounded(plan) || !selection_is_whole(&output_settings(plan)->selection));
}

/* The attributes of the keys about pictures. A key has an attribute for each kind of picture that uses the key; the
 * same kinds use the option of that name of a conversion. The engine refuses a key that no field of the run can use
 * (output_checks.c). */
enum {
    OF_GRIDS = 1 << 24, /* planes, and views of volumes */
    OF_VOLUMES = 1 << 25,
    OF_COMPONENTS = 1 << 26, /* grids of several components */
    OF_BATCHES = 1 << 27,
    OF_PARTICLES = 1 << 28,
    OF_MASSES = 1 << 29, /* particles that have a mass */
    OF_PICTURES = 63 << 24
};

/* What a picture of the array shows: OF_GRIDS …; 0: no picture can show it. */
uint32_t picture_shows(const struct engine_file_array *array);

/* Names the pictures that use a key with these attributes: "pictures of grids". */
const char *picture_name(uint32_t attributes);

/* Describes the field of that index as an array of the files at step 0, which may hold a region of a grid alone. */
struct engine_file_array plan_written_array(const struct plan *plan, uint32_t index);

#endif
