/* Binds the inputs of an analysis to fields of the run. The analysis reads a field where it lies in memory or, if the
 * type differs, a converted copy. */
#ifndef LIB_RECORD_BINDING_H
#define LIB_RECORD_BINDING_H

#include "plan/source.h"

/* The source of analyses. */
extern const struct source binding_source;

#endif
