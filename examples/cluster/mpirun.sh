#!/bin/bash
# A run of several hosts that share a file system, without a batch system: one process for each socket.
#
#   ./mpirun.sh soup.ini host1 host2
#
# For hosts with GPUs, start a process for each GPU: --map-by ppr:4:node --bind-to none on hosts with four.
#
# The hosts need the same engine and plugins at the same paths. All processes read and write
# snapshots and checkpoints. The first process, on host1, reads and writes all other files.
set -eu
config=${1:?usage: mpirun.sh CONFIG HOST...}
shift
: "${1:?usage: mpirun.sh CONFIG HOST...}"
hosts=$(IFS=,; echo "$*")

# --map-by ppr:1:socket --bind-to socket: a process for each socket, whose cores are its threads. oob_tcp_keepalive, for
# Open MPI 4: if a host no longer answers for 40 seconds, mpirun ends the run. Ctrl-C and SIGTERM reach the script, which
# sends SIGUSR1 in their place: mpirun passes it on, the run saves its state, and the status is 138. After the other
# signals, mpirun kills the processes too soon.
setsid mpirun --host "$hosts" --map-by ppr:1:socket --bind-to socket --mca oob_tcp_keepalive_time 20 \
    --mca oob_tcp_keepalive_intvl 5 --mca oob_tcp_keepalive_probes 4 \
    engine run "$config" --set checkpoint.signal=USR1 &
trap 'kill -USR1 $!' INT TERM
while wait $!; status=$?; kill -0 $! 2>/dev/null; do :; done
exit $status
