// gradeval._core.lambda_gradients
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "pairs/pairs.hpp"
#include "python/bindings.hpp"

namespace gradeval {

using namespace nb::literals;

namespace {

template <class T, std::size_t axes>
using Input = nb::ndarray<const T, nb::ndim<axes>, nb::c_contig, nb::device::cpu>;
using Result = nb::ndarray<double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <class Array>
std::span<const typename Array::Scalar> all(const Array& array) {
    return {array.data(), array.size()};
}

void demand(bool holds, const char* what) {
    if (!holds) throw nb::value_error(what);
}

/// Throws unless all indices stay inside the arrays.
void check(std::span<const std::int32_t> level, std::span<const std::int64_t> offsets, const Kernels& kernels) {
    demand(!offsets.empty() && offsets.front() == 0 &&
               offsets.back() == static_cast<std::int64_t>(level.size()),
           "offsets must go from 0 to the number of rows");
    const std::size_t queries = offsets.size() - 1;
    demand(kernels.starts.size() == queries && kernels.share.size() == queries,
           "starts and share need one entry for each query");
    const auto weights = static_cast<std::int64_t>(kernels.weights.size());
    for (std::size_t q = 0; q < queries; ++q) {
        const std::int64_t size = offsets[q + 1] - offsets[q];
        const std::int64_t start = kernels.starts[q];
        demand(size >= 0, "offsets must ascend");
        demand(start >= 0 && start <= weights && size <= weights - start, "weights must reach each query's last rank");
    }
    const auto levels = static_cast<std::int64_t>(kernels.levels);
    for (const std::int32_t one : level) demand(one >= 0 && one < levels, "level must be an index into own");
}

bool reaches(std::span<const std::int64_t> offsets, std::size_t longest) {
    for (std::size_t q = 0; q + 1 < offsets.size(); ++q)
        if (static_cast<std::size_t>(offsets[q + 1] - offsets[q]) > longest) return false;
    return true;
}

void lambda_gradients_of(Input<double, 1> scores, Input<std::int32_t, 1> level, Input<std::int64_t, 1> offsets,
                         Input<double, 2> own, std::optional<Input<double, 3>> pairs, Input<double, 1> weights,
                         Input<std::int64_t, 1> starts, Input<double, 1> share,
                         std::optional<Input<double, 2>> stop, double sigma,
                         std::size_t truncation, bool normalise, std::size_t threads,
                         std::optional<Input<double, 1>> distance, Result gradient, Result hessian) {
    Kernels kernels;
    kernels.levels = own.shape(1);
    kernels.own = all(own);
    if (pairs) kernels.pairs = all(*pairs);
    kernels.weights = all(weights);
    kernels.starts = all(starts);
    kernels.share = all(share);
    if (stop) kernels.stop = all(*stop);
    LambdaOptions options{sigma, truncation, normalise, threads, {}};
    if (distance) options.distance = all(*distance);
    const nb::gil_scoped_release free_threads;
    demand(scores.size() == level.size() && gradient.size() == level.size() && hessian.size() == level.size(),
           "scores, level, gradient and hessian need one entry for each row");
    check(all(level), all(offsets), kernels);
    const std::size_t queries = kernels.share.size();
    const auto fits = [queries](std::size_t tables) { return tables == 1 || tables == queries; };
    demand(kernels.levels > 0 && fits(own.shape(0)), "own must be [1 or queries, levels]");
    demand(!pairs || (fits(pairs->shape(0)) && pairs->shape(1) == kernels.levels &&
                      pairs->shape(2) == kernels.levels),
           "pairs must be [1 or queries, levels, levels]");
    demand(!stop || (fits(stop->shape(0)) && stop->shape(1) == kernels.levels), "stop must be [1 or queries, levels]");
    demand(!stop || !pairs, "a cascade has no pairs");
    demand(!distance || reaches(all(offsets), distance->shape(0)), "distance must reach each query's last rank");
    lambda_gradients(all(scores), all(level), all(offsets), kernels, options, gradient.data(), hessian.data());
}

}  // namespace

void bind_pairs(nb::module_& m) {
    m.def("lambda_gradients", &lambda_gradients_of, "scores"_a.noconvert(), "level"_a.noconvert(),
          "offsets"_a.noconvert(), "own"_a.noconvert(), "pairs"_a.noconvert().none(), "weights"_a.noconvert(),
          "starts"_a.noconvert(), "share"_a.noconvert(), "stop"_a.noconvert().none(), "sigma"_a, "truncation"_a, "normalise"_a,
          "threads"_a, "distance"_a.noconvert().none(), "gradient"_a.noconvert(), "hessian"_a.noconvert());
}

}  // namespace gradeval
