/* @NAME@ on a GPU. */
#include "@NAME@.h"

#include <engine/neighbours.cuh>
