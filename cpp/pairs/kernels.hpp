// Measures as kernels of pairs of documents, in the arrays that Python passes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace gradeval {

/// A measure for some queries: what documents of each level bring by themselves (`own`) and gain from those above
/// them (`pairs`, [level above, level below], or empty), what ranks are worth, and 1 / the normaliser. A cascade has
/// no pairs, but the probabilities `stop` that a document stops the user. Tables of one query stand for all.
struct Kernels {
    std::size_t levels = 0;
    std::span<const double> own;
    std::span<const double> pairs;
    std::span<const double> weights;
    std::span<const std::int64_t> starts;  ///< where in `weights` the first rank of each query stands
    std::span<const double> share;
    std::span<const double> stop;  ///< or empty
};

/// One query of Kernels.
struct Kernel {
    const double* own;
    const double* pairs;  ///< or nullptr
    const double* weights;
    double share;
    const double* stop;  ///< or nullptr
};

}  // namespace gradeval
