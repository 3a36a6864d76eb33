#!/bin/bash
# A run of several hosts under SLURM: one process for each socket, and the cores of the socket as its threads.
#
#   sbatch slurm.sh soup.ini        starts the run, or goes on with it if its folder exists
#
# For hosts with GPUs, start a process for each GPU: --ntasks-per-node=4 and --gpus-per-node=4 on hosts with four, and
# no --ntasks-per-socket.
#
# Two minutes before the time of the job is up, SLURM sends SIGUSR1 to all processes. With `[checkpoint] signal = USR1`
# the run then saves its state and ends with status 138, and the script puts the job into the queue again. SLURM starts
# it there after about two minutes. `scancel` sends SIGTERM, after which the run saves its state too.
#SBATCH --job-name=engine
#SBATCH --nodes=2
#SBATCH --ntasks-per-socket=1
#SBATCH --ntasks-per-node=2
#SBATCH --cpus-per-task=32
#SBATCH --time=12:00:00
#SBATCH --signal=USR1@120
#SBATCH --requeue
#SBATCH --open-mode=append
set -u
config=${1:?usage: sbatch slurm.sh CONFIG}
folder=out/$(basename "$config" .ini)

command=(engine run "$config" --set checkpoint.signal=USR1 --set "run.output=$folder")
[ -e "$folder/config.ini" ] && command=(engine resume "$folder")

# With Open MPI 4 or MPICH, use --mpi=pmi2 or --mpi=pmix; `srun --mpi=list` shows which there are. Debian's Open MPI
# supports pmix alone. srun binds each process to its cores. Since SLURM 22.05, srun no longer takes the number of cores
# of a process from sbatch, so --cpus-per-task gives it.
srun --mpi=pmix --cpus-per-task="${SLURM_CPUS_PER_TASK:-1}" "${command[@]}"
status=$?
[ $status = 138 ] && scontrol requeue "$SLURM_JOB_ID"
exit $status
