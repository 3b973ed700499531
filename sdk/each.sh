#!/usr/bin/env bash
# each.sh generate|test [LANGUAGE …]: runs <language>/<action>.sh of the languages named, or of all.
# A language that is named must succeed; of all, one whose tools are missing is skipped with a word.
set -euo pipefail
cd "$(dirname "$0")"

case ${1-} in
  generate | test) action=$1 ;;
  *) echo "want generate or test, not \"${1-}\"" >&2; exit 2 ;;
esac
shift
named=("$@")
languages=("${named[@]}")
[ $# -gt 0 ] || languages=(typescript python go java rust csharp)
# The TypeScript client is tested by make test.

tools_of() {
  case $1 in
    typescript) echo node ;;
    python) echo python3 ;;
    go) echo go ;;
    java) echo javac mvn ;;
    rust) echo cargo ;;
    csharp) echo dotnet ;;
  esac
}

for language in "${languages[@]}"; do
  if [ ! -d "$language" ] || [ ! -f "$language/generate.sh" ]; then
    echo "$language is no language here, want one of: typescript python go java rust csharp" >&2
    exit 2
  fi
  [ -f "$language/$action.sh" ] || continue
  missing=
  for tool in $(tools_of "$language"); do
    command -v "$tool" >/dev/null || missing+=" $tool"
  done
  if [ -n "$missing" ]; then
    echo "$language skipped: not installed:$missing"
    [ ${#named[@]} -eq 0 ] || exit 1
    continue
  fi
  printf '\n-- %s: %s\n' "$action" "$language"
  start=$SECONDS
  "$language/$action.sh"
  echo "-- $language took $((SECONDS - start)) s"
done
