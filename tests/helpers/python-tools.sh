# Sourced, after `set -euo pipefail`: install_python_tools NAME REQUIREMENTS FOLDER goes into FOLDER and has
# what the requirements say in its .venv, from PyPI where they changed. PYTHON names another Python.
install_python_tools() {
  local name=$1 requirements=$2 folder=$3 python=${PYTHON:-python3}
  if ! "$python" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 10))' 2>/dev/null; then
    echo "$name needs Python 3.10 or later with venv, which $python is not: install it, or set PYTHON" >&2
    exit 1
  fi
  mkdir -p "$folder"
  cd "$folder"
  if ! cmp --silent "$requirements" installed.txt; then
    # Joined, as `set -e` does not hold where the caller asks whether it went well.
    "$python" -m venv --clear .venv &&
      .venv/bin/pip install --quiet --disable-pip-version-check --requirement "$requirements" &&
      cp "$requirements" installed.txt
  fi
}
