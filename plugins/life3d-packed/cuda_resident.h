/* The resident form, host code. */
#ifndef LIFE3D_PACKED_CUDA_RESIDENT_H
#define LIFE3D_PACKED_CUDA_RESIDENT_H

#include "cuda_resident_job.h"
#include "cuda_stepper.h"

/* Enqueues all steps of a job whose grid fits on the chip. cells[1] will hold the result. */
cudaError_t packed_resident_steps(const struct packed_cuda_job *job);

#endif
