/* engine/retired.h - names that no plugin needs. Sources that were written before interface 1.12 may use them. */
#ifndef ENGINE_RETIRED_H
#define ENGINE_RETIRED_H

#define ENGINE_SUBBOX (1 << 5) /* a flag of implementations that never had a meaning; see ENGINE_DIVISIBLE */

/* engine_field.reduction of an output. The engine checks the number and does nothing else with it. */
enum { ENGINE_REDUCE_NONE = 0, ENGINE_REDUCE_SUM = 1 };

#endif
