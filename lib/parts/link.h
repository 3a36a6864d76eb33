/* The link between the processes that share a run: messages through the transport that the caller gives
 * (engine/transport.h), and waiting for them. Process 0 leads; the others serve it.
 *
 * After an error the link is broken: a message is missing, so that later ones would be misread. Everything fails then,
 * at once and without waiting. */
#ifndef LIB_PARTS_LINK_H
#define LIB_PARTS_LINK_H

#include "base/error.h"

#include <engine/transport.h>
#include <stdbool.h>

struct link;

/* Opens the link. The transport outlives it. *link is NULL where there is one process only, or no transport.
 * ENGINE_STATUS_USAGE if the transport has another version. */
int link_open(const struct engine_transport *transport, struct link **link, struct engine_error *error);
void link_close(struct link *link);

/* Returns the link of a context, or NULL if it has none. */
struct link *link_of_context(const struct engine_context *context);

/* Facts. Without a link: rank 0 of 1, and of its host, no name, 0 processors. */
uint32_t link_rank(const struct link *link);
uint32_t link_host_rank(const struct link *link);
uint32_t link_ranks(const struct link *link);
uint32_t link_processors(const struct link *link);
const char *link_name(const struct link *link);

/* Returns a number that no earlier call has returned. */
uint64_t link_number(struct link *link);

/* Begin to send or to receive. The memory stays unchanged until link_wait has returned. ENGINE_STATUS_DEVICE. */
int link_send(struct link *link, uint32_t to, const void *data, uint64_t bytes, struct engine_error *error);
int link_receive(struct link *link, uint32_t from, void *data, uint64_t bytes, struct engine_error *error);

/* Waits until all messages that were begun are through. If none of them makes progress for `patience` seconds (0: any
 * time), the error names the processes that did not answer. ENGINE_STATUS_DEVICE. */
int link_wait(struct link *link, double patience, struct engine_error *error);

/* Waits until `test` returns 1; 0 means not yet, and -1 an error that it has set. The messages that were begun make
 * progress meanwhile, but need not be through. If nothing happens for `patience` seconds (0: any time), the error names
 * the processes that do not answer. ENGINE_STATUS_DEVICE. */
typedef int link_test(void *context, struct engine_error *error);
int link_wait_until(struct link *link, link_test *test, void *context, double patience, struct engine_error *error);

/* After a wait of `seconds` elsewhere: asks who is there, and sets the error that names the processes that do not answer.
 * The link is broken then. ENGINE_STATUS_DEVICE. */
int link_accuse(struct link *link, double seconds, struct engine_error *error);

/* Lets messages make progress without waiting for them. ENGINE_STATUS_DEVICE. */
int link_poll(struct link *link, struct engine_error *error);

/* Is a message to or from that process under way? */
bool link_is_pending(const struct link *link, uint32_t other);

/* Breaks the link, and gives the error for a process that has not answered for so many seconds. */
int link_give_up(struct link *link, uint32_t other, double seconds, struct engine_error *error);

/* Makes the link broken, because this process cannot take part in what the others do. */
void link_break(struct link *link);
bool link_is_broken(const struct link *link);

/* Gives the error of a link that was broken before, else returns 0. ENGINE_STATUS_DEVICE. */
int link_check(const struct link *link, struct engine_error *error);

#endif
