/* A thread pool, such as that of a context: its threads carry out pieces of one task at a time.
 *
 * A thread that waits spins for some microseconds and then sleeps in the kernel. So a step of a small grid loses
 * little, and other programs get the processors that they need. The caller works too, and it never waits for a thread
 * that has not begun: on a busy machine it carries out all pieces alone. */
#ifndef CORE_BASE_THREAD_POOL_H
#define CORE_BASE_THREAD_POOL_H

#include <stdint.h>

struct thread_pool;

/* Makes a pool without threads. NULL: no memory. */
struct thread_pool *thread_pool_open(void);

/* Ends its threads. NULL is allowed. Nothing is running in the pool. */
void thread_pool_close(struct thread_pool *pool);

/* Calls task(argument, i) once for each i < count, on up to `threads` threads, and returns when all calls have
 * returned. The first calls make the threads; where the system refuses more, the existing ones do the work. Inside of a
 * task, while another thread uses the pool, and with a NULL pool, the caller does everything itself. */
void thread_pool_run(struct thread_pool *pool, uint32_t threads, uint64_t count,
                     void (*task)(void *argument, uint64_t index), void *argument);

#endif
