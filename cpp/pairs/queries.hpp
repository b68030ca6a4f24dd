// One query after another, by several threads.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "judge/parallel.hpp"
#include "pairs/kernels.hpp"
#include "pairs/lanes.hpp"

namespace gradeval {

/// The tables of query q.
inline Kernel kernel_at(const Kernels& kernels, std::size_t q) noexcept {
    const std::size_t levels = kernels.levels;
    const std::size_t square = levels * levels;
    const std::size_t pairs = kernels.pairs.size() == square ? 0 : q * square;
    return {kernels.own.data() + (kernels.own.size() == levels ? 0 : q * levels),
            kernels.pairs.empty() ? nullptr : kernels.pairs.data() + pairs,
            kernels.weights.data() + kernels.starts[q],
            kernels.share[q],
            kernels.stop.empty() ? nullptr : kernels.stop.data() + (kernels.stop.size() == levels ? 0 : q * levels)};
}

/// See for_queries.
template <class V, class MakeBench, class Work>
void run_queries(std::span<const std::int64_t> offsets, std::size_t threads, MakeBench& make_bench, Work& work) {
    constexpr std::size_t at_once = 32;  // queries that a thread takes at a time
    const std::size_t queries = offsets.size() - 1;
    run_parallel((queries + at_once - 1) / at_once, thread_count(threads), [&] {
        return [&, bench = make_bench(std::type_identity<V>{})](std::size_t task) mutable {
            const std::size_t end = std::min(queries, (task + 1) * at_once);
            compiled_for<V>([&]() GRADEVAL_LAMBDA {
                for (std::size_t q = task * at_once; q < end; ++q) {
                    const auto row = static_cast<std::size_t>(offsets[q]);
                    work(bench, q, row, static_cast<std::size_t>(offsets[q + 1]) - row);
                }
            });
        };
    });
}

/// Calls work(bench, query, first row, rows) for all queries, by several threads; rows offsets[q] .. offsets[q + 1] are
/// query q. make_bench(type_identity<V>) makes each thread its bench, for lanes that suit the processor.
template <class MakeBench, class Work>
void for_queries(std::span<const std::int64_t> offsets, std::size_t threads, MakeBench make_bench, Work work) {
#if defined(GRADEVAL_DISPATCH)
    if (widest_lanes() == 8) return run_queries<EightLanes>(offsets, threads, make_bench, work);
    if (widest_lanes() == 4) return run_queries<FourLanes>(offsets, threads, make_bench, work);
#endif
    run_queries<AnyLanes>(offsets, threads, make_bench, work);
}

}  // namespace gradeval
