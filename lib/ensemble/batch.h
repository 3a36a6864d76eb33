/* A batch of members: members of an ensemble that are the universes of one run, each with a step of its own. A member
 * that ends leaves its place to the next one, which starts there at its step 0. Its row is that of a run of its own.
 *
 * Members of a group differ in [init] seed and density alone. A batch has members of one group at a time. If their steps
 * depend on their seeds, all members of a group begin together. They then have consecutive seeds or, if the plugin has
 * parameters by universe (engine/batch.h), plans of their own, with any seeds and such parameters. Members of a
 * group that cannot be universes of one run are executed one after the other, as runs of their own; so are the members
 * of a batch that fails, and each that cannot be started, so that an error is that of the member's own run. */
#ifndef LIB_ENSEMBLE_BATCH_H
#define LIB_ENSEMBLE_BATCH_H

#include "ensemble/ensemble.h"

struct batch;

/* The ensemble must outlive the batch, whose runs belong to the context. ENGINE_STATUS_DEVICE. */
int batch_open(const struct ensemble *ensemble, struct engine_context *context, struct batch **batch,
               struct engine_error *error);
void batch_close(struct batch *batch);

/* How many members batch_add would still take. */
uint64_t batch_room(const struct batch *batch);
void batch_add(struct batch *batch, uint64_t member);

/* The member whose own run is executed now; 0: none. */
uint64_t batch_member(const struct batch *batch);

/* Takes steps until a member has ended, or all are stopped. */
void batch_advance(struct batch *batch);

/* How many members have ended since batch_record. */
uint32_t batch_ended(const struct batch *batch);

/* Records the members that have ended, and makes room. ENGINE_STATUS_OUTPUT. */
int batch_record(struct batch *batch, struct ensemble *ensemble, struct engine_error *error);

#endif
