#!/usr/bin/env bash
# Feeds the parsers and the meeting with broken text for SECONDS (default 60): fuzz/run.sh [SECONDS [SEED]]
# Needs any compiler with sanitizers (CXX names one). fuzz/libfuzzer.sh looks further, and needs clang.
set -euo pipefail
cd "$(dirname "$0")"
seconds=${1:-60}
seed=${2:-1}
mkdir -p build
flags=(-std=c++20 -O1 -g -Wall -Wextra -I../cpp -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer -pthread)
export UBSAN_OPTIONS=print_stacktrace=1:abort_on_error=1 ASAN_OPTIONS=abort_on_error=1
for compiler in ${CXX:-g++ c++ clang++}; do
    command -v "$compiler" >/dev/null || continue
    echo 'int main() {}' | "$compiler" "${flags[@]}" -x c++ - -o build/probe 2>/dev/null || continue
    "$compiler" "${flags[@]}" fuzz_core.cpp driver.cpp -o build/fuzz
    exec build/fuzz "$seconds" "$seed" corpus/*
done
echo "no compiler builds with AddressSanitizer and UndefinedBehaviorSanitizer (tried: ${CXX:-g++ c++ clang++})" >&2
exit 1
