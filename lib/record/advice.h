/* What implementations say about the initial state: would they pay? */
#ifndef LIB_RECORD_ADVICE_H
#define LIB_RECORD_ADVICE_H

#include "plan/plan.h"

/* Asks each implementation that is usable and has `advise`, on buffers of its own, and keeps the answers in
 * plan->advice. An implementation whose buffers are too large for a quick look is not asked. If asking fails, the
 * answer says why. */
int advice_ask(struct plan *plan, struct registry *registry, struct engine_error *error);

#endif
