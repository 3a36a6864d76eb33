#!/bin/bash
# The kernels of life3d-packed/cuda on the host.
. "$(dirname "$0")/kernels"

kernels_agree life3d_cuda 88
plan
