/* vicsek on a GPU. */
#include "vicsek.h"

#include <engine/neighbours.cuh>
