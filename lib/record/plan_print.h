/* Plans as text. */
#ifndef LIB_RECORD_PLAN_PRINT_H
#define LIB_RECORD_PLAN_PRINT_H

#include "plan/plan.h"

/* Print a plan as text for people, or as JSON. `analysis` is the plan of the run's analysis; NULL: there is none. Both
 * plans have an implementation chosen. The caller frees *text. */
int plan_print_text(struct plan *plan, struct plan *analysis, char **text, struct engine_error *error);
int plan_print_json(struct plan *plan, struct plan *analysis, char **text, struct engine_error *error);

#endif
