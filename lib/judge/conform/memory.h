/* Memory of a property's process: all buffers and all scratch lie between guards and are poisoned. The interface
 * promises the values of cells, ghosts and outputs, and nothing about other bytes. */
#ifndef LIB_JUDGE_CONFORM_MEMORY_H
#define LIB_JUDGE_CONFORM_MEMORY_H

#include "judge/conform/test.h"

/* Guards all memory that is allocated through the test's context from here on. */
void memory_guard(struct test *test);

/* The test whose context this is, after memory_guard. */
struct test *memory_test(const struct context *context);

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
