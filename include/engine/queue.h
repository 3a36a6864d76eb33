/* engine/queue.h - implementations whose advance only enqueues work on the CUDA stream, and those that know the time. */
#ifndef ENGINE_QUEUE_H
#define ENGINE_QUEUE_H

#include <engine/plugin.h>

/* A flag of an implementation: advance only enqueues work on call->stream. The work depends on nothing but steps,
 * current and the parity of first_step. So the engine may record the work, and replay it instead of calling advance. It
 * never records an implementation that has a function `settle`, whatever its flags say. */
#define ENGINE_ENQUEUES (1 << 4)

/* A flag of an implementation, since 1.14: its steps depend on the number of the step, but not on plan->seed. */
#define ENGINE_TIMED (1 << 14)

/* engine_impl.settle, since 1.11: run phase, one thread an instance. Optional, for an implementation that learns on the
 * device whether a call has failed. Waits for the work of a call of advance, and returns what advance would have
 * returned: 0 or a negative code. The engine calls it once for each call of advance that returned 0, in their order,
 * and before it uses the results.
 *
 * If each call takes the next frame of a file to a device, the engine calls advance for the next frame before it
 * settles a frame, so that the device is never idle. `call` has the first_step and the steps of the call that is
 * settled. Everything else has its present value: plan->box may be that of the next frame. When the last call of
 * advance is settled, all outputs have their values. */

#endif
