#!/bin/bash
# The kernel of small systems of pairs/cuda on the host.
. "$(dirname "$0")/kernels"

kernels_agree pairs_small 38
plan
