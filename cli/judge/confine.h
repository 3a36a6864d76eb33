/* What a process that runs the code of others gives up. */
#ifndef CLI_JUDGE_CONFINE_H
#define CLI_JUDGE_CONFINE_H

#include <stdbool.h>

/* From here on, the process starts no other processes, so none outlives it or works in its place. It sends signals to
 * itself alone. It looks into no other process that has called confine, nor into one that refuses it, and they cannot
 * look into this one. It ends with its parent. Returns false where the kernel refuses one of these. */
bool confine(void);

#endif
