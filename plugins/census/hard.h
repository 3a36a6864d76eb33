/* Threads of the host that run the soups which the device leaves to it, while the device takes the next batches. */
#ifndef CENSUS_HARD_H
#define CENSUS_HARD_H

#include "census.h"

struct hard;

/* Starts a thread for each of `count` workers. Returns 0, or -1 if there is no memory. */
int hard_open(struct instance *own, struct worker *workers, uint32_t count, struct hard **hard);

/* Waits for the soups that run. Those that wait are forgotten. */
void hard_close(struct hard *hard);

/* Adds soups `first` + soups[i]. Waits if too many have not been run. Returns 0, or -1 if there is no memory. */
int hard_add(struct hard *hard, uint64_t first, const uint32_t *soups, uint32_t count);

/* Stops the threads that are between two soups, or all of them after the last soup, and lists the names that they have
 * counted. Returns how many. hard_resume lets them go on; it returns -1 if a soup has failed. */
uint32_t hard_pause(struct hard *hard, bool all, struct names **counted);
int hard_resume(struct hard *hard);

#endif
