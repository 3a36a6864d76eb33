/* Reads the frames of trajectories ahead. While the plugin uses a frame, a thread reads the next ones into host memory,
 * in the layout of the buffers. When a frame is due, only a copy to the device is left. */
#ifndef LIB_FILES_AHEAD_H
#define LIB_FILES_AHEAD_H

#include "run/state.h"

/* `next_frame` of struct source: replaces the inputs of a state that come from trajectories by those of the next frame,
 * which must exist, and changes the box. A device only enqueues the copies; they must have ended when the function is
 * called for another frame or, if the calls of the plugin overlap, for the frame after that. Frames take up to 128 MiB of
 * host memory and, if calls overlap, the memory of two frames on the device, if it has so much. Frames of more than
 * 64 MiB are read when they are due, as are those of divided runs, of batches, and of layouts that only their plugin
 * knows. ENGINE_STATUS_INPUT. */
int ahead_next_frame(struct state *state, bool overlaps, struct engine_error *error);

/* `end_frames` of struct source: waits for the thread, which finishes its frame. The state and its plan are still
 * open. */
void ahead_end(struct state *state);

#endif
