/* The threads of a context, which carry out pieces of one task at a time.
 *
 * A thread that waits spins for some microseconds and then sleeps in the kernel. So a step of a small grid loses
 * little, and other programs get the processors that they need. The caller works too, and it never waits for a thread
 * that has not begun: on a busy machine it carries out all pieces alone. */
#ifndef CORE_BASE_TEAM_H
#define CORE_BASE_TEAM_H

#include <stdint.h>

struct team;

/* Makes a team without threads. NULL: no memory. */
struct team *team_open(void);

/* Ends its threads. NULL is allowed. Nothing is running in the team. */
void team_close(struct team *team);

/* Calls task(argument, i) once for each i < count, on up to `threads` threads, and returns when all calls have
 * returned. The first calls make the threads; where the system refuses more, the existing ones do the work. Inside of a
 * task, while another thread uses the team, and with a NULL team, the caller does everything itself. */
void team_run(struct team *team, uint32_t threads, uint64_t count, void (*task)(void *argument, uint64_t index),
              void *argument);

#endif
