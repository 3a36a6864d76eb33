/* Memory of a property's process: all buffers and all scratch lie between guards and are poisoned. The interface
 * promises the values of cells, ghosts and outputs, and nothing about other bytes. */
#ifndef LIB_JUDGE_CONFORM_MEMORY_H
#define LIB_JUDGE_CONFORM_MEMORY_H

#include "judge/conform/test.h"

/* Makes the place for the guarded memory of this process. */
void memory_guard(struct test *test);

/* The hooks `allocate` and `release` of the contexts of a test, which is `user`. */
int memory_allocate_guarded(void *user, const struct engine_memory *of, uint64_t bytes, void **out,
                            struct engine_error *error);
void memory_release_guarded(void *user, const struct engine_memory *of, void *address, uint64_t bytes);

/* Finds the allocation in which an address lies. Fails the property where there is none. */
const uint8_t *memory_around(const struct test *test, const void *address, uint64_t *bytes);

/* Sets the byte that memory allocated from here on is filled with. */
void memory_poison(struct test *test, uint8_t byte);

/* Makes the nth allocation from here on fail; 0: none. */
void memory_fail(struct test *test, uint64_t nth);

/* The number of allocations since memory_fail. */
uint64_t memory_allocations(const struct test *test);

/* Fails the property where a guard was overwritten. */
void memory_check(const struct test *test);

/* Fails the property where memory is still held. */
void memory_check_released(const struct test *test);

#endif
