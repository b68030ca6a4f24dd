// A formula as a program: what a measure computes of one ranking, step by step.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ranking/sums.hpp"

namespace gradeval {

/// What a step does. Most are named as in NumPy, and do the same to the last bit; sums are added one by one from the top,
/// as in ranking/sums.hpp.
enum class Step : std::uint8_t {
    grades, ranks, judged,        // of the documents: rows
    retrieved, number, of_pool,   // numbers: the length of the ranking, entry a of the program or of the pool
    add, subtract, multiply, divide, minimum, maximum,
    less, less_equal, greater, greater_equal, equal, not_equal, bitwise_and, bitwise_or, logical_and,
    negative, absolute, floor, invert, logical_not,
    where,                        // b where a holds, else c
    searchsorted, take, look_up,  // the place of b in the table a; the entry of the table a at the place b, or the rank b
    running_sums, products_before,
    keep, top,                    // the entries of a where b holds; at the ranks b down to the depth c
    least,                        // of a and the number b
    sum, sum_down_to,             // of a; at the ranks b down to the depth c
    precision_down_to,            // of the relevant documents a at the ranks b down to the depth c
};

constexpr std::array<std::string_view, 38> step_names{
    "grades", "ranks", "judged", "retrieved", "number", "of_pool", "add", "subtract", "multiply", "divide", "minimum",
    "maximum", "less", "less_equal", "greater", "greater_equal", "equal", "not_equal", "bitwise_and", "bitwise_or",
    "logical_and", "negative", "absolute", "floor", "invert", "logical_not", "where", "searchsorted", "take", "look_up",
    "running_sums", "products_before", "keep", "top", "least", "sum", "sum_down_to", "precision_down_to"};

/// One ranking: its pooled documents by rank, and its length.
struct RankedDocuments {
    std::span<const double> grades, ranks, judged;
    double retrieved;
};

/// Steps, each of which makes a value of those before it: a number, or a row with a number for each document. Where a row
/// meets a number, that stands for all documents.
class Program {
  public:
    struct Instruction {
        Step step;
        bool is_row;
        std::array<std::uint32_t, 3> of;  ///< steps before this one, or entries of numbers, tables or the pool
        std::size_t place;                ///< among the rows
    };

    Program(std::vector<double> numbers, std::vector<std::vector<double>> tables)
        : numbers_(std::move(numbers)), tables_(std::move(tables)) {
        for (const auto& table : tables_) demand(!table.empty());
    }

    void append(std::string_view name, std::array<std::uint32_t, 3> of) {
        const auto found = std::find(step_names.begin(), step_names.end(), name);
        demand(found != step_names.end());
        Instruction made{static_cast<Step>(found - step_names.begin()), false, of, rows_};
        const auto row = [&](std::size_t operand) {
            demand(of[operand] < code_.size());
            return code_[of[operand]].is_row;
        };
        switch (made.step) {
            case Step::grades:
            case Step::ranks:
            case Step::judged: made.is_row = true; break;
            case Step::retrieved: break;
            case Step::number: demand(of[0] < numbers_.size()); break;
            case Step::of_pool: of_pool_ = std::max<std::size_t>(of_pool_, of[0] + std::size_t{1}); break;
            case Step::searchsorted:
            case Step::take:
            case Step::look_up: demand(of[0] < tables_.size()); made.is_row = row(1); break;
            case Step::running_sums:
            case Step::products_before: demand(row(0)); made.is_row = true; break;
            case Step::keep: demand(row(0) && row(1)); made.is_row = true; break;
            case Step::top: demand(row(0) && row(1) && !row(2)); made.is_row = true; break;
            case Step::least: demand(row(0) && !row(1)); break;
            case Step::sum: demand(row(0)); break;
            case Step::sum_down_to:
            case Step::precision_down_to: demand(row(0) && row(1) && !row(2)); break;
            case Step::where: made.is_row = row(0) | row(1) | row(2); break;
            default: made.is_row = made.step < Step::negative ? row(0) | row(1) : row(0);
        }
        rows_ += made.is_row ? 1 : 0;
        code_.push_back(made);
    }

    void give(std::uint32_t step) {
        demand(step < code_.size() && !code_[step].is_row);
        given_.push_back(step);
    }

    const std::vector<Instruction>& code() const noexcept { return code_; }
    const std::vector<double>& numbers() const noexcept { return numbers_; }
    const std::vector<double>& table(std::size_t i) const noexcept { return tables_[i]; }
    const std::vector<std::uint32_t>& given() const noexcept { return given_; }
    std::size_t rows() const noexcept { return rows_; }
    /// So many numbers are needed of each pool.
    std::size_t of_pool() const noexcept { return of_pool_; }

  private:
    static void demand(bool holds) {
        if (!holds) throw std::invalid_argument("a step of a program takes what there is before it");
    }

    std::vector<double> numbers_;
    std::vector<std::vector<double>> tables_;
    std::vector<Instruction> code_;
    std::vector<std::uint32_t> given_;
    std::size_t rows_ = 0;
    std::size_t of_pool_ = 0;
};

/// Runs a program on one ranking after the other; keeps its memory.
class Machine {
  public:
    explicit Machine(const Program& program)
        : program_(program), numbers_(program.code().size()), sizes_(program.rows()) {}

    /// Writes the values that the program gives. `of_pool` holds as many numbers as it needs.
    void run(const RankedDocuments& ranking, const double* of_pool, double* values) {
        if (ranking.ranks.size() > width_ || rows_.empty()) {
            width_ = std::max<std::size_t>(2 * width_, std::max<std::size_t>(ranking.ranks.size(), 8));
            rows_.resize(program_.rows() * width_ + 1);
        }
        for (std::size_t i = 0; i < program_.code().size(); ++i) step(i, ranking, of_pool);
        for (const std::uint32_t i : program_.given()) *values++ = numbers_[i];
    }

  private:
    /// A number (stride 0) or a row (stride 1).
    struct Value {
        const double* at;
        std::size_t stride, size;
        double operator[](std::size_t j) const noexcept { return at[j * stride]; }
    };

    Value value(std::uint32_t i) const noexcept {
        const Program::Instruction& made = program_.code()[i];
        if (!made.is_row) return {&numbers_[i], 0, 1};
        return {rows_.data() + made.place * width_, 1, sizes_[made.place]};
    }

    void step(std::size_t i, const RankedDocuments& ranking, const double* of_pool) {
        const Program::Instruction& now = program_.code()[i];
        double* const out = now.is_row ? rows_.data() + now.place * width_ : &numbers_[i];
        const auto resize = [&](std::size_t size) {
            if (now.is_row) sizes_[now.place] = size;
            return size;
        };
        const auto row = [&](std::span<const double> given) {
            std::copy_n(given.begin(), resize(given.size()), out);
        };
        const auto unary = [&](const Value& a, auto&& f) {
            const std::size_t size = resize(a.size);
            for (std::size_t j = 0; j < size; ++j) out[j] = f(a.at[j]);
        };
        const auto binary = [&](auto&& f) {
            const Value a = value(now.of[0]), b = value(now.of[1]);
            const std::size_t size = resize(a.stride == 0 ? b.size : b.stride == 0 ? a.size : std::min(a.size, b.size));
            if (a.stride == b.stride) {
                for (std::size_t j = 0; j < size; ++j) out[j] = f(a.at[j], b.at[j]);
            } else if (a.stride == 0) {
                for (std::size_t j = 0; j < size; ++j) out[j] = f(*a.at, b.at[j]);
            } else {
                for (std::size_t j = 0; j < size; ++j) out[j] = f(a.at[j], *b.at);
            }
        };
        switch (now.step) {
            case Step::grades: return row(ranking.grades);
            case Step::ranks: return row(ranking.ranks);
            case Step::judged: return row(ranking.judged);
            case Step::retrieved: *out = ranking.retrieved; return;
            case Step::number: *out = program_.numbers()[now.of[0]]; return;
            case Step::of_pool: *out = of_pool[now.of[0]]; return;
            case Step::add: return binary([](double a, double b) { return a + b; });
            case Step::subtract: return binary([](double a, double b) { return a - b; });
            case Step::multiply: return binary([](double a, double b) { return a * b; });
            case Step::divide: return binary([](double a, double b) { return a / b; });
            case Step::minimum: return binary([](double a, double b) { return a <= b || std::isnan(a) ? a : b; });
            case Step::maximum: return binary([](double a, double b) { return a >= b || std::isnan(a) ? a : b; });
            case Step::less: return binary([](double a, double b) { return a < b ? 1.0 : 0.0; });
            case Step::less_equal: return binary([](double a, double b) { return a <= b ? 1.0 : 0.0; });
            case Step::greater: return binary([](double a, double b) { return a > b ? 1.0 : 0.0; });
            case Step::greater_equal: return binary([](double a, double b) { return a >= b ? 1.0 : 0.0; });
            case Step::equal: return binary([](double a, double b) { return a == b ? 1.0 : 0.0; });
            case Step::not_equal: return binary([](double a, double b) { return a != b ? 1.0 : 0.0; });
            case Step::bitwise_and:
            case Step::logical_and: return binary([](double a, double b) { return a != 0 && b != 0 ? 1.0 : 0.0; });
            case Step::bitwise_or: return binary([](double a, double b) { return a != 0 || b != 0 ? 1.0 : 0.0; });
            case Step::negative: return unary(value(now.of[0]), [](double a) { return -a; });
            case Step::absolute: return unary(value(now.of[0]), [](double a) { return std::fabs(a); });
            case Step::floor: return unary(value(now.of[0]), [](double a) { return std::floor(a); });
            case Step::invert:
            case Step::logical_not: return unary(value(now.of[0]), [](double a) { return a != 0 ? 0.0 : 1.0; });
            case Step::where: return choose(now, out, resize);
            case Step::searchsorted: {
                const auto& table = program_.table(now.of[0]);
                return unary(value(now.of[1]), [&](double a) {
                    return static_cast<double>(std::lower_bound(table.begin(), table.end(), a) - table.begin());
                });
            }
            case Step::take:
            case Step::look_up: {
                const auto& table = program_.table(now.of[0]);
                const ByRank entry(table.data(), table.size());
                return unary(value(now.of[1]), [&](double a) { return entry[a]; });
            }
            case Step::running_sums: {
                double total = 0.0;
                return unary(value(now.of[0]), [&](double a) { return total += a; });
            }
            case Step::products_before: {
                double product = 1.0;
                return unary(value(now.of[0]), [&](double a) { return std::exchange(product, product * a); });
            }
            case Step::keep: {
                const Value a = value(now.of[0]), kept = value(now.of[1]);
                std::size_t size = 0;
                for (std::size_t j = 0; j < std::min(a.size, kept.size); ++j) {
                    if (kept[j] != 0) out[size++] = a[j];
                }
                resize(size);
                return;
            }
            case Step::top: {
                const Value a = value(now.of[0]);
                std::copy_n(a.at, resize(within(value(now.of[1]), value(now.of[2]), a.size)), out);
                return;
            }
            case Step::least: {
                const Value a = value(now.of[0]);
                *out = value(now.of[1])[0];
                for (std::size_t j = 0; j < a.size; ++j) *out = std::min(*out, a[j]);
                return;
            }
            case Step::sum: {
                const Value a = value(now.of[0]);
                *out = sum_all<double>(Terms<double>{a.at, nullptr, a.size});
                return;
            }
            case Step::sum_down_to: {
                const Value a = value(now.of[0]);
                *out = sum_all<double>(Terms<double>{a.at, nullptr, within(value(now.of[1]), value(now.of[2]), a.size)});
                return;
            }
            case Step::precision_down_to: {
                const Value hits = value(now.of[0]), ranks = value(now.of[1]);
                *out = summed_precision(hits, ranks, within(ranks, value(now.of[2]), hits.size));
                return;
            }
        }
    }

    /// How many of the first documents are at ranks down to a depth; ranks ascend.
    static std::size_t within(const Value& ranks, const Value& depth, std::size_t most) {
        const double* const end = ranks.at + std::min(ranks.size, most);
        return static_cast<std::size_t>(std::upper_bound(ranks.at, end, *depth.at) - ranks.at);
    }

    /// The sum of k / (rank of the k-th relevant document), as PrecisionAtHits has it.
    double summed_precision(const Value& hits, const Value& ranks, std::size_t size) {
        of_hits_.resize(std::max(of_hits_.size(), size + 1));
        std::size_t found = 0;
        for (std::size_t j = 0; j < size; ++j) {  // no branch depends on the hits
            of_hits_[found] = ranks.at[j];
            found += hits.at[j] != 0 ? 1 : 0;
        }
        for (std::size_t k = 0; k < found; ++k) of_hits_[k] = static_cast<double>(k + 1) / of_hits_[k];
        return sum_all<double>(Terms<double>{of_hits_.data(), nullptr, found});
    }

    template <class Resize>
    void choose(const Program::Instruction& now, double* out, Resize&& resize) {
        const std::array<Value, 3> of{value(now.of[0]), value(now.of[1]), value(now.of[2])};
        std::size_t size = now.is_row ? width_ : 1;
        for (const Value& one : of) {
            if (one.stride != 0) size = std::min(size, one.size);
        }
        resize(size);
        for (std::size_t j = 0; j < size; ++j) out[j] = of[0][j] != 0 ? of[1][j] : of[2][j];
    }

    const Program& program_;
    std::vector<double> numbers_;
    std::vector<std::size_t> sizes_;
    std::vector<double> rows_;
    std::vector<double> of_hits_;
    std::size_t width_ = 0;
};

}  // namespace gradeval
