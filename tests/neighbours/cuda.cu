/* The CUDA implementation of RULE. */
#define NEIGHBOURS_ROOM 24
#include RULE

#include <engine/neighbours.cuh>
