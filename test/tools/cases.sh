# Sourced by the tests of the tools: counts cases, and removes the working folder at the end.
here=${srcdir:-.}
[ -d "$here/test/tools" ] || here=$(dirname "$0")/../..
here=$(cd "$here" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
cases=0 failed=0

# verdict NAME: the case is passed when the command before it succeeded; its output lies in $work/out.
verdict() {
  passed=$?
  cases=$((cases + 1))
  if [ "$passed" -eq 0 ]; then
    echo "ok: $1"
  else
    echo "FAIL: $1"
    sed 's/^/    /' "$work/out" | tail -n 30
    failed=$((failed + 1))
  fi
}

# run COMMAND...: keeps what it prints in $work/out, and its exit status in $status.
run() {
  status=0
  timeout 120 "$@" > "$work/out" 2>&1 < /dev/null || status=$?
}

says() { [ "$status" -eq 0 ] && grep -qF -e "$1" "$work/out"; }
saysExactly() { [ "$status" -eq 0 ] && [ "$(cat "$work/out")" = "$1" ]; }
saysNothingOf() { [ "$status" -eq 0 ] && ! grep -qF -e "$1" "$work/out"; }
refuses() { [ "$status" -ne 0 ] && grep -qF -e "$1" "$work/out"; }

finish() {
  echo "$cases cases, $failed failed"
  [ "$cases" -gt 0 ] && [ "$failed" -eq 0 ]
  exit
}
