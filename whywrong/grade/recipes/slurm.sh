#!/bin/sh
# A class on a cluster with Slurm: an array of jobs, each with a part of the submissions. The folders
# lie on a file system that all nodes share, and the environment with the package does, too.
#
#   python -m course_attn.grade --recipe slurm > grade.sh
#   RELEASE=softmax.ipynb sbatch --array=1-50 grade.sh submitted graded
#   python -m course_attn.grade submitted -o graded --merge --release softmax.ipynb   (when all is done)
#
# A job that was stopped goes on where it was when the same line is run again; results are one file
# for each submission, so no two jobs write the same file. To run a few jobs again, say of how many
# parts they are: sbatch --array=7,9 grade.sh submitted graded 50. A job in which one file has a note
# ends with status 1, so what waits for the array waits with afterany, not with afterok. The nodes
# need bubblewrap; without it a job stops, and --container podman does instead.
#SBATCH --job-name=grade
#SBATCH --cpus-per-task=4
#SBATCH --mem=12G
#SBATCH --time=02:00:00
set -eu
exec python -m course_attn.grade "$1" --output "$2" \
  --shard "$SLURM_ARRAY_TASK_ID/${3:-$SLURM_ARRAY_TASK_MAX}" \
  --workers "$SLURM_CPUS_PER_TASK" ${RELEASE:+--release "$RELEASE"}
