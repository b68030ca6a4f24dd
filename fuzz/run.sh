#!/usr/bin/env bash
# Feeds the parsers and the meeting with broken text for SECONDS (default 60): fuzz/run.sh [SECONDS [SEED]]
# Uses libFuzzer where clang++ is at hand (CXX=clang++), else the driver beside it with any compiler.
set -euo pipefail
cd "$(dirname "$0")"
seconds=${1:-60}
seed=${2:-1}
mkdir -p build
flags=(-std=c++20 -O1 -g -Wall -Wextra -I../cpp -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer -pthread)
export UBSAN_OPTIONS=print_stacktrace=1:abort_on_error=1 ASAN_OPTIONS=abort_on_error=1
compiler=${CXX:-}
if [[ -z $compiler ]]; then compiler=$(command -v clang++ || command -v g++ || command -v c++); fi
if "$compiler" --version | grep -qi clang && echo 'extern "C" int LLVMFuzzerTestOneInput(const unsigned char*, unsigned long) { return 0; }' |
    "$compiler" -x c++ - -fsanitize=fuzzer -o build/probe 2>/dev/null; then
    "$compiler" "${flags[@]}" -fsanitize=fuzzer fuzz_core.cpp -o build/fuzz
    mkdir -p build/corpus
    exec build/fuzz -max_total_time="$seconds" -seed="$seed" -max_len=4096 -artifact_prefix=build/ build/corpus corpus
fi
"$compiler" "${flags[@]}" fuzz_core.cpp driver.cpp -o build/fuzz
exec build/fuzz "$seconds" "$seed" corpus/*
