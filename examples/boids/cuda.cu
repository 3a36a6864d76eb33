/* boids on a GPU. */
#include "boids.h"

#include <engine/neighbours.cuh>
