#!/usr/bin/env bash
# Lets libFuzzer look for inputs that break the core, guided by what they reach: fuzz/libfuzzer.sh [SECONDS [SEED]]
# Takes ten minutes where no time is named. Needs clang with its runtimes, Debian's packages clang and libclang-rt-14-dev
# (of clang's version); CXX names another clang++. What was reached stays in build/corpus: the next call goes on from it.
set -euo pipefail
cd "$(dirname "$0")"
seconds=${1:-600}
seed=${2:-1}
compiler=${CXX:-clang++}
mkdir -p build/corpus
flags=(-std=c++20 -O1 -g -I../cpp -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer -pthread)
export UBSAN_OPTIONS=print_stacktrace=1:abort_on_error=1 ASAN_OPTIONS=abort_on_error=1
if ! echo 'extern "C" int LLVMFuzzerTestOneInput(const unsigned char*, unsigned long) { return 0; }' |
    "$compiler" "${flags[@]}" -x c++ - -o build/probe 2>build/probe.log; then
    cat build/probe.log >&2
    echo "$compiler does not build with libFuzzer: apt-get install clang libclang-rt-14-dev" >&2
    exit 1
fi
"$compiler" "${flags[@]}" fuzz_core.cpp -o build/libfuzzer
build/libfuzzer -max_total_time="$seconds" -seed="$seed" -max_len=4096 -dict=pieces.dict -print_final_stats=1 \
    -artifact_prefix=build/ build/corpus corpus 2>&1 | tee build/libfuzzer.log
printf '%s inputs, coverage %s, nothing found\n' \
    "$(sed -n 's/^stat::number_of_executed_units: *//p' build/libfuzzer.log)" \
    "$(grep -o 'cov: [0-9]* ft: [0-9]*' build/libfuzzer.log | tail -n 1)"
