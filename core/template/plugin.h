/* What the files of @NAME@ share. */
#include <engine/plugin.h>

/* Places in the tables of plugin.c. */
enum { CELLS };
enum { PARITY };

int cpu_advance(void *self, struct engine_call *call);
int cpu_measure(void *self, const struct engine_call *call, double *values);
