// gradeval._core.lambda_gradients, contest_values, kernel_values
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "pairs/contests.hpp"
#include "pairs/pairs.hpp"
#include "pairs/values.hpp"
#include "python/bindings.hpp"
#include "python/kernels_from_python.hpp"

namespace gradeval {

using namespace nb::literals;

namespace {

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
                         std::optional<Input<double, 1>> distance, Result gradient, std::optional<Result> hessian,
                         std::optional<Result> loss, std::size_t draws, bool gaussian, double spread,
                         std::uint64_t seed, std::optional<Result> values,
                         std::optional<Input<double, 1>> importance) {
    const KernelArrays arrays{level, offsets, own, pairs, weights, starts, share, stop};
    LambdaOptions options{sigma, truncation, normalise, threads, {}, {}, {draws, gaussian, spread, seed}};
    if (distance) options.distance = all(*distance);
    if (importance) options.importance = all(*importance);
    const nb::gil_scoped_release free_threads;
    const Kernels kernels = arrays.check();
    demand(scores.size() == level.size() && gradient.size() == level.size() &&
               (!hessian || hessian->size() == level.size()) && (!importance || importance->size() == level.size()),
           "scores, level, gradient, hessian and importance need one entry for each row");
    demand(!distance || reaches(all(offsets), distance->shape(0)), "distance must reach each query's last rank");
    demand(!loss || loss->size() == share.size(), "loss needs one entry for each query");
    demand(!values || values->size() == share.size(), "values need one entry for each query");
    const LambdaResult result{gradient.data(), hessian ? hessian->data() : nullptr, loss ? loss->data() : nullptr,
                              values ? values->data() : nullptr};
    lambda_gradients(all(scores), all(level), all(offsets), kernels, options, result);
}

void kernel_values_of(Input<double, 1> scores, Input<std::int32_t, 1> level, Input<std::int64_t, 1> offsets,
                      Input<double, 2> own, std::optional<Input<double, 3>> pairs, Input<double, 1> weights,
                      Input<std::int64_t, 1> starts, Input<double, 1> share, std::optional<Input<double, 2>> stop,
                      std::size_t threads, Result values) {
    const KernelArrays arrays{level, offsets, own, pairs, weights, starts, share, stop};
    const nb::gil_scoped_release free_threads;
    const Kernels kernels = arrays.check();
    demand(scores.size() == level.size() && values.size() == share.size(),
           "scores need one entry for each row, values one for each query");
    for (const double score : all(scores)) demand(!std::isnan(score), "scores must be numbers");
    for_queries(
        all(offsets), threads, [&](auto) { return ValueBench(kernels.levels); },
        [&](ValueBench& bench, std::size_t q, std::size_t row, std::size_t size) GRADEVAL_LAMBDA {
            values.data()[q] = bench.work(all(scores).subspan(row, size), level.data() + row, kernel_at(kernels, q));
        });
}

void contest_values_of(Input<double, 1> scores, Input<std::int32_t, 1> level, Input<std::int64_t, 1> offsets,
                       Input<double, 2> own, std::optional<Input<double, 3>> pairs, Input<double, 1> weights,
                       Input<std::int64_t, 1> starts, Input<double, 1> share, std::optional<Input<double, 2>> stop,
                       double scale, bool logistic, Input<double, 1> shifts, Input<double, 1> chances,
                       std::optional<Input<double, 1>> bases, std::optional<Input<double, 2>> coefficients,
                       std::size_t ranks, bool logarithmic, std::size_t threads, Result values, Result gradient) {
    const KernelArrays arrays{level, offsets, own, pairs, weights, starts, share, stop};
    ContestOptions options{scale, logistic, all(shifts), all(chances), {}, {}, ranks, logarithmic};
    if (bases) options.bases = all(*bases);
    if (coefficients) options.coefficients = all(*coefficients);
    const nb::gil_scoped_release free_threads;
    const Kernels kernels = arrays.check();
    const std::size_t queries = share.size();
    demand(scores.size() == level.size() && gradient.size() == level.size(),
           "scores, level and gradient need one entry for each row");
    demand(values.size() == queries, "values need one entry for each query");
    demand(chances.size() == shifts.size(), "chances need one entry for each shift");
    demand(bases.has_value() == coefficients.has_value() &&
               (!bases || (bases->size() > 0 && coefficients->shape(1) == bases->size() &&
                           (coefficients->shape(0) == 1 || coefficients->shape(0) == queries))),
           "coefficients must be [1 or queries, bases]");
    for_queries(
        all(offsets), threads, [&](auto lanes) { return ContestBench<typename decltype(lanes)::type>(kernels.levels, options); },
        [&](auto& bench, std::size_t q, std::size_t row, std::size_t size) GRADEVAL_LAMBDA {
            bench.work(all(scores).subspan(row, size), level.data() + row, kernel_at(kernels, q), q, values.data() + q,
                       gradient.data() + row);
        });
}

}  // namespace

void bind_pairs(nb::module_& m) {
    m.def("lambda_gradients", &lambda_gradients_of, "scores"_a.noconvert(), "level"_a.noconvert(),
          "offsets"_a.noconvert(), "own"_a.noconvert(), "pairs"_a.noconvert().none(), "weights"_a.noconvert(),
          "starts"_a.noconvert(), "share"_a.noconvert(), "stop"_a.noconvert().none(), "sigma"_a, "truncation"_a, "normalise"_a,
          "threads"_a, "distance"_a.noconvert().none(), "gradient"_a.noconvert(),
          "hessian"_a.noconvert().none() = nb::none(), "loss"_a.noconvert().none() = nb::none(), "draws"_a = 0,
          "gaussian"_a = false, "spread"_a = 1.0, "seed"_a = 0, "values"_a.noconvert().none() = nb::none(),
          "importance"_a.noconvert().none() = nb::none());
    m.def("contest_values", &contest_values_of, "scores"_a.noconvert(), "level"_a.noconvert(), "offsets"_a.noconvert(),
          "own"_a.noconvert(), "pairs"_a.noconvert().none(), "weights"_a.noconvert(), "starts"_a.noconvert(),
          "share"_a.noconvert(), "stop"_a.noconvert().none(), "scale"_a, "logistic"_a, "shifts"_a.noconvert(),
          "chances"_a.noconvert(), "bases"_a.noconvert().none(), "coefficients"_a.noconvert().none(), "ranks"_a,
          "logarithmic"_a, "threads"_a, "values"_a.noconvert(), "gradient"_a.noconvert());
    m.def("kernel_values", &kernel_values_of, "scores"_a.noconvert(), "level"_a.noconvert(), "offsets"_a.noconvert(),
          "own"_a.noconvert(), "pairs"_a.noconvert().none(), "weights"_a.noconvert(), "starts"_a.noconvert(),
          "share"_a.noconvert(), "stop"_a.noconvert().none(), "threads"_a, "values"_a.noconvert());
}

}  // namespace gradeval
