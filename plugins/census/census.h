/* An instance of the plugin, and what its two implementations share. */
#ifndef CENSUS_H
#define CENSUS_H

#include "haul.h"
#include "soup.h"
#include "worker.h"

#include <engine/plugin.h>
#include <stdatomic.h>

enum { CENSUS_HAUL };
enum { CENSUS_RULE, CENSUS_SYMMETRY, CENSUS_ROOT, CENSUS_SOUPS, CENSUS_LIMIT, CENSUS_BYTES, CENSUS_INSTRUCTIONS };

struct instance {
    struct haul haul;
    bool loaded;            /* the haul is that of the field */
    char rule[24];          /* as apgsearch writes it: b3s23 */
    struct worker *workers; /* one a thread */
    struct names **counted; /* of each worker */
    uint32_t worker_count;  /* `cuda` has two for each thread */
    uint32_t symmetry;
    struct sieve *sieve; /* of `cuda` */
};

/* Makes an instance without a sieve, which has `each` workers for each thread. */
int census_create(const struct engine_call *call, uint32_t each, void **self);
void census_destroy(void *self);

/* Reads the haul so far, if a run that is resumed or somebody else has written it. */
int census_read(struct instance *own, const struct engine_call *call);

/* Runs a soup to its end. Returns 0, or -1 if there is no memory. */
int census_take_soup(struct instance *own, struct worker *worker, uint64_t number);

/* sieve.c: the implementation `cuda`. */
int sieve_create(const struct engine_call *call, void **self);
int sieve_advance(void *self, struct engine_call *call);
void sieve_close(struct sieve *sieve);

/* Copies the text of the haul from the device. NULL: an error, which is recorded. */
const char *sieve_text(struct instance *own, const struct engine_call *call);

#endif
