/* What a plugin says of its outputs: the extensions ENGINE_OUTPUTS and ENGINE_PLOTS. */
#ifndef LIB_RECORD_ASKED_H
#define LIB_RECORD_ASKED_H

#include "files/common.h"
#include "plan/plan.h"

#include <engine/pictures.h>

/* Do the parameters of the plugin ask for the field? */
bool plan_is_asked(const struct plan *plan, const struct engine_field *field);

/* Returns the names of the rows of outputs that have *count rows of bins, in memory that the caller frees. NULL: they
 * have no names, or there is no memory. */
char (*plan_row_names(const struct plan *plan, uint32_t *count))[IO_ROW_SIZE];

/* Describes how plots show the field. Without the extension ENGINE_PLOTS, *plot becomes zero. */
void plan_describe_plot(const struct plan *plan, uint32_t field, struct engine_plot *plot);

/* Returns "g_0 = O-O, g_1 = O-H" for the rows of the first such output, in memory that the caller frees; NULL as
 * above. */
char *plan_row_text(const struct plan *plan);

#endif
