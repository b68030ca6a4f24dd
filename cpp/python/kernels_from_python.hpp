// Kernels of measures in the arrays of Python, checked.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "pairs/kernels.hpp"
#include "python/bindings.hpp"

namespace gradeval {

template <class T, std::size_t axes>
using Input = nb::ndarray<const T, nb::ndim<axes>, nb::c_contig, nb::device::cpu>;
using Result = nb::ndarray<double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <class Array>
std::span<const typename Array::Scalar> all(const Array& array) {
    return {array.data(), array.size()};
}

inline void demand(bool holds, const char* what) {
    if (!holds) throw nb::value_error(what);
}

/// The documents of some queries, and the kernels of a measure for them.
struct KernelArrays {
    const Input<std::int32_t, 1>& level;
    const Input<std::int64_t, 1>& offsets;
    const Input<double, 2>& own;
    const std::optional<Input<double, 3>>& pairs;
    const Input<double, 1>& weights;
    const Input<std::int64_t, 1>& starts;
    const Input<double, 1>& share;
    const std::optional<Input<double, 2>>& stop;

    /// The kernels; throws unless all indices stay inside the arrays.
    Kernels check() const {
        check_queries();
        const std::size_t levels = own.shape(1);
        const std::size_t queries = share.size();
        const auto fits = [queries](std::size_t tables) { return tables == 1 || tables == queries; };
        demand(levels > 0 && fits(own.shape(0)), "own must be [1 or queries, levels]");
        demand(!pairs || (fits(pairs->shape(0)) && pairs->shape(1) == levels && pairs->shape(2) == levels),
               "pairs must be [1 or queries, levels, levels]");
        demand(!stop || (fits(stop->shape(0)) && stop->shape(1) == levels), "stop must be [1 or queries, levels]");
        demand(!stop || !pairs, "a cascade has no pairs");
        for (const std::int32_t one : all(level))
            demand(one >= 0 && one < static_cast<std::int64_t>(levels), "level must be an index into own");
        Kernels kernels;
        kernels.levels = levels;
        kernels.own = all(own);
        if (pairs) kernels.pairs = all(*pairs);
        kernels.weights = all(weights);
        kernels.starts = all(starts);
        kernels.share = all(share);
        if (stop) kernels.stop = all(*stop);
        return kernels;
    }

  private:
    void check_queries() const {
        const auto begin = all(offsets);
        demand(!begin.empty() && begin.front() == 0 && begin.back() == static_cast<std::int64_t>(level.size()),
               "offsets must go from 0 to the number of rows");
        const std::size_t queries = begin.size() - 1;
        demand(starts.size() == queries && share.size() == queries, "starts and share need one entry for each query");
        const auto ranks = static_cast<std::int64_t>(weights.size());
        for (std::size_t q = 0; q < queries; ++q) {
            const std::int64_t size = begin[q + 1] - begin[q];
            const std::int64_t start = all(starts)[q];
            demand(size >= 0, "offsets must ascend");
            demand(start >= 0 && start <= ranks && size <= ranks - start, "weights must reach each query's last rank");
        }
    }
};

}  // namespace gradeval
