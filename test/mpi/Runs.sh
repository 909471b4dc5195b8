# Read by the .test files: runs one program several times, at different numbers of ranks and over different transports.
#   runs PROGRAM RUN...      RUN is [TRANSPORT:]RANKS, for instance 2, tcp:3; tcp is UCX over TCP, ucx is UCX within the node
# PROGRAM is a path below test/mpi in the build folder. Exit status: 0 all passed, 1 one failed, 77 all were skipped.
# TEST_SCALE multiplies the time limits (a sanitizer build needs more), TEST_TIMEOUT is the limit of one run in seconds,
# TEST_ARGS are arguments of the program, TEST_OPTIONS further ones of run-mpi.

# No file names are meant by the patterns in TEST_OPTIONS.
set -f

runs() {
  runs_program=$1
  shift
  runs_failed=0
  runs_passed=0
  for runs_one; do
    case $runs_one in
      *:*) runs_transport=${runs_one%%:*} runs_ranks=${runs_one##*:} ;;
      *) runs_transport=any runs_ranks=$runs_one ;;
    esac
    case $runs_transport in
      tcp) set -- --env UCX_TLS=tcp,self ;;
      ucx) set -- --env MPL_NODE_MESSAGES=ucx ;;
      *) set -- ;;
    esac
    echo "== $runs_program $TEST_ARGS: $runs_ranks ranks, transport $runs_transport"
    "${srcdir:-.}/test/mpi/run-mpi" -n "$runs_ranks" --timeout $((${TEST_TIMEOUT:-60} * ${TEST_SCALE:-1})) $TEST_OPTIONS "$@" -- \
      "./test/mpi/$runs_program" $TEST_ARGS
    runs_status=$?
    case $runs_status in
      0) runs_passed=$((runs_passed + 1)) ;;
      77) ;;
      *)
        echo "== $runs_program $TEST_ARGS: $runs_ranks ranks, transport $runs_transport: FAILED, status $runs_status"
        runs_failed=$((runs_failed + 1))
        ;;
    esac
  done
  if test $runs_failed -gt 0; then
    exit 1
  fi
  if test $runs_passed -eq 0; then
    exit 77
  fi
}

# onEachTransport PROGRAM RUN...: the runs with each value of MPL_ONESIDED that this machine can have.
onEachTransport() {
  each_options=$TEST_OPTIONS
  for each_transport in shm ucx; do
    TEST_OPTIONS="$each_options --env MPL_ONESIDED=$each_transport"
    echo "== MPL_ONESIDED=$each_transport"
    (runs "$@") || each_status=$?
    case ${each_status:-0} in 0 | 77) ;; *) exit 1 ;; esac
  done
  exit "${each_status:-0}"
}

# onTwoHosts PROGRAM...: each with four ranks, two on either of two hosts made of namespaces (test/mpi/two-hosts).
onTwoHosts() {
  for two_program; do
    echo "== $two_program: 4 ranks on two hosts"
    two_status=0
    timeout $((${TEST_TIMEOUT:-120} * ${TEST_SCALE:-1})) "${srcdir:-.}/test/mpi/two-hosts" -n 4 \
      "./test/mpi/$two_program" || two_status=$?
    if [ $two_status != 0 ]; then
      echo "== $two_program: 4 ranks on two hosts: status $two_status"
      exit $two_status
    fi
  done
}
