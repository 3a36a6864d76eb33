nbody-tree_uses = nbody/bodies nbody/cpu_hermite nbody/cpu_kernel nbody/cpu_serial nbody/cpu_solver nbody/generate
