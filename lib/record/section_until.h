/* [run] until: conditions that are joined by `or`. Each of them ends the run. The reader of [output] reads them,
 * because [output] tells how often they are checked by default. */
#ifndef LIB_RECORD_SECTION_UNTIL_H
#define LIB_RECORD_SECTION_UNTIL_H

#include "plan/plan.h"
#include "plan/section.h"

enum {
    UNTIL_MAX = 16,       /* conditions */
    UNTIL_ERRORS_MAX = 64 /* metrics whose relative change a condition may compare */
};

enum until_kind { UNTIL_METRIC, UNTIL_REPEATS, UNTIL_UNCHANGED, UNTIL_SETTLED, UNTIL_EDGE };
enum until_comparison { UNTIL_BELOW, UNTIL_AT_MOST, UNTIL_ABOVE, UNTIL_AT_LEAST, UNTIL_EQUAL, UNTIL_OTHER };

/* One condition of [run] until. */
struct until_condition {
    enum until_kind kind;
    char text[96];   /* the condition as it stands in the configuration */
    uint32_t metric; /* UNTIL_METRIC: its index in the plugin's table */
    bool error;      /* its relative change since the start is compared, as in energy_error > 1e-3 */
    enum until_comparison comparison;
    double number; /* with which the metric is compared */
};

struct until_conditions {
    uint32_t count;
    struct until_condition at[UNTIL_MAX];
};

/* Reads the conditions. ENGINE_STATUS_USAGE. */
int section_read_until(const struct reading *reading, const char *text, struct until_conditions *conditions);

#endif
