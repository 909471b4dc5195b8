# Functions for quickstart and runtests: steps that are announced, timed, limited and logged. Read by bash.
#
# The caller sets `logs` to the folder of the log files.

started=$SECONDS
bold='' red='' green='' plain=''
if [ -t 1 ] && [ "${TERM:-dumb}" != dumb ] && [ -z "${NO_COLOR:-}" ]; then
  bold=$'\e[1m' red=$'\e[31m' green=$'\e[32m' plain=$'\e[0m'
fi

# say TEXT...: one line with the seconds since the start
say() {
  printf '%s[%4d s]%s %s\n' "$bold" $((SECONDS - started)) "$plain" "$*"
}

# showTail FILE LINES
showTail() {
  printf '%s----- the last lines of %s -----%s\n' "$red" "$1" "$plain"
  tail -n "$2" "$1"
  printf '%s-----%s\n' "$red" "$plain"
}

stepChildren=()
stopStep() {
  local child
  for child in ${stepChildren[@]+"${stepChildren[@]}"}; do
    # timeout, a step's child, passes the signal on to the step's whole process group.
    kill -TERM "$child" 2> /dev/null && wait "$child" 2> /dev/null
  done
  say "interrupted"
  exit 130
}
trap stopStep INT TERM HUP

# step NAME LIMIT TITLE COMMAND...: runs the command for at most LIMIT seconds with its output in $logs/NAME.log.
# Tells every half minute that it is still at it. Gives the command's exit status; 124 when the time was up.
step() {
  startStep "$@"
  awaitStep "$1" "$2" "$stepStarted"
}

# startStep NAME LIMIT TITLE COMMAND...: the same beside what comes next; sets stepStarted, the CHILD of awaitStep
startStep() {
  local name=$1 limit=$2
  mkdir -p "$logs"
  say "$3"
  shift 3
  printf '$ %s\n' "$*" > "$logs/$name.log"
  timeout -k 20 "$limit" "$@" >> "$logs/$name.log" 2>&1 < /dev/null &
  stepStarted=$!
  stepChildren+=("$stepStarted")
}

# awaitStep NAME LIMIT CHILD: the end of a step
awaitStep() {
  local name=$1 limit=$2 child=$3 begun=$SECONDS status told=$SECONDS one others=()
  # The shell would tell of a child that had to be killed: that is told below.
  {
    while kill -0 "$child"; do
      # A short sleep first, so that quick steps stay quick.
      if [ $((SECONDS - begun)) -lt 2 ]; then sleep 0.05; else sleep 0.5; fi
      if [ $((SECONDS - told)) -ge 30 ]; then
        told=$SECONDS
        say "  ... still at it: $(tail -n 1 "$logs/$name.log" | cut -c 1-90)"
      fi
    done
    wait "$child"
    status=$?
  } 2> /dev/null
  for one in "${stepChildren[@]}"; do [ "$one" = "$child" ] || others+=("$one"); done
  stepChildren=(${others[@]+"${others[@]}"})
  if [ $status = 124 ] || [ $status = 137 ]; then
    say "${red}  stopped${plain}: not done after $limit seconds"
    return 124
  elif [ $status != 0 ]; then
    say "${red}  failed${plain} with exit status $status after $((SECONDS - begun)) s"
  fi
  return $status
}

# cores: how many this process may use
cores() {
  nproc 2> /dev/null || echo 2
}
