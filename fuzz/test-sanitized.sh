#!/usr/bin/env bash
# Runs the tests of the core (or the tests given) on a build with AddressSanitizer and UndefinedBehaviorSanitizer:
#     fuzz/test-sanitized.sh [PYTEST ARGUMENT...]
# Linux; needs the development extras of pyproject.toml. PYTHON names the interpreter (default: python).
set -euo pipefail
cd "$(dirname "$0")/.."
python=${PYTHON:-python}
build=fuzz/build/sanitized
mkdir -p fuzz/build
cmake -S . -B "$build" -G Ninja -DPython_EXECUTABLE="$("$python" -c 'import sys; print(sys.executable)')" \
    -DGRADEVAL_SANITIZE=ON -DCMAKE_BUILD_TYPE=RelWithDebInfo >"$build.log" 2>&1 || { cat "$build.log"; exit 1; }
cmake --build "$build"
rm -rf "$build/gradeval"
cp -r src/gradeval "$build/gradeval"
rm -f "$build"/gradeval/_core*.so
cp "$build"/_core*.so "$build/gradeval/"
# The interpreter is not sanitized, so the runtimes must be there before it; libstdc++ too, or exceptions are not seen.
compiler=$(sed -n 's/^CMAKE_CXX_COMPILER:[A-Z]*=//p' "$build/CMakeCache.txt")
runtimes=()
for runtime in libasan.so libclang_rt.asan-x86_64.so libubsan.so libstdc++.so; do
    path=$("$compiler" -print-file-name="$runtime")
    [[ $path == "$runtime" ]] || runtimes+=("$path")
done
[[ $# -gt 0 ]] || set -- tests/core
LD_PRELOAD="${runtimes[*]}" ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1 PYTHONPATH="$build" \
    "$python" -m pytest -q -s -p no:cacheprovider "$@"
