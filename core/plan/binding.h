/* Binds the inputs of an analysis to fields of the run. The analysis reads a field where it lies in memory or, if the
 * type differs, a converted copy. */
#ifndef CORE_PLAN_BINDING_H
#define CORE_PLAN_BINDING_H

#include "plan/source.h"

/* The source of analyses. */
extern const struct source binding_source;

#endif
