// Learning-to-rank features from text (SVMlight with queries): a dense table, grades, queries, documents.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "judge/parallel.hpp"
#include "letor/letor_line.hpp"
#include "letor/letor_scan.hpp"
#include "letor/letor_shape.hpp"
#include "text/error.hpp"
#include "text/names.hpp"
#include "text/text.hpp"

namespace gradeval {

/// Rows of features, query by query.
struct Letor {
    struct Free {
        void operator()(std::byte* p) const noexcept { std::free(p); }
    };
    std::unique_ptr<std::byte[], Free> table;  ///< [rows, width], of doubles where it is `wide`, else of floats
    bool wide = false;
    std::vector<double> sample;            ///< [some, width]: the first rows, their numbers as they are written
    std::uint64_t largest = 0;             ///< how many values are missing since they were the largest double
    std::uint64_t of_feature = 0;          ///< the first of which
    std::vector<double> grades;            ///< [rows]
    std::vector<std::int64_t> offsets;     ///< rows of query q are offsets[q] .. offsets[q + 1]
    std::vector<std::string> queries;      ///< empty where their sizes were given
    std::string documents;                 ///< ids, one after the other; an empty one: none was given
    std::vector<std::int64_t> ends;        ///< [rows + 1]: id of row i is ends[i] .. ends[i + 1] of documents
    LetorShape shape;

    template <class Number>
    Number* numbers() const noexcept {
        return reinterpret_cast<Number*>(table.get());
    }
};

struct LetorOptions {
    std::span<const std::int64_t> sizes{};  ///< rows of each query, where lines have no qid:
    bool sized = false;                     ///< whether sizes were given
    std::uint64_t width = 0;                ///< number of features; 0: as many as there are
    std::size_t threads = 0;                ///< 0: one for each core
    std::uint64_t part_bytes = 0;           ///< how much one thread takes at a time; 0: chosen by size
};

inline constexpr std::uint64_t sample_rows = 512;
inline constexpr std::uint64_t sample_numbers = 1 << 17;

/// Puts the rows of a query that were read in several parts together, and refuses queries whose lines are
/// scattered.
inline void join_queries(std::span<const LetorPart> parts, Letor& letor, std::optional<Failure>& failure) {
    Names names;
    std::vector<std::uint64_t> positions;
    for (const LetorPart& part : parts) {
        for (const LetorPart::Query& query : part.queries) {
            if (names.size() > 0 && names[names.size() - 1] == query.name) continue;
            const auto [ordinal, fresh] = names.add(query.name);
            if (!fresh) {
                keep_first(failure,
                           {query.position, "query " + excerpt(query.name) + " comes again, it began in ",
                            positions[ordinal], "; the lines of a query stand together: sort them by query"});
                return;
            }
            positions.push_back(query.position);
            letor.offsets.push_back(static_cast<std::int64_t>(query.row));
        }
    }
    for (std::size_t q = 0; q < names.size(); ++q) letor.queries.emplace_back(names[q]);
}

/// Gives each NULL the least value that the feature has in its query, as LETOR's MIN version does; 0 where
/// the query has none.
template <class Number>
void fill_nulls(Letor& letor, std::size_t threads) {
    const std::uint64_t width = letor.shape.width;
    run_parallel(letor.offsets.size() - 1, threads, [&] {
        return [&, least = std::vector<Number>(width)](std::size_t q) mutable {
            Number* const begin = letor.numbers<Number>() + static_cast<std::uint64_t>(letor.offsets[q]) * width;
            Number* const end = letor.numbers<Number>() + static_cast<std::uint64_t>(letor.offsets[q + 1]) * width;
            std::fill(least.begin(), least.end(), null_value<Number>);
            for (const Number* row = begin; row < end; row += width) {
                for (std::uint64_t i = 0; i < width; ++i) {
                    if (row[i] < least[i]) least[i] = row[i];  // never so for NULL and NaN
                }
            }
            for (Number* row = begin; row < end; row += width) {
                for (std::uint64_t i = 0; i < width; ++i) {
                    if (row[i] == null_value<Number>) row[i] = least[i] == null_value<Number> ? Number{0} : least[i];
                }
            }
        };
    });
}

/// Where queries of these sizes begin. Throws a Failure where they are not the rows that there are.
inline std::vector<std::int64_t> offsets_of(std::span<const std::int64_t> sizes, const LetorShape& shape) {
    constexpr std::uint64_t plenty = std::uint64_t{1} << 62;
    std::vector<std::int64_t> offsets{0};
    std::uint64_t sum = 0;
    for (const std::int64_t size : sizes) {
        if (size < 1)
            throw Failure{0, "a query of " + std::to_string(size) + " rows; queries have one or more"};
        sum = std::min(plenty, sum + std::min(plenty, static_cast<std::uint64_t>(size)));
        offsets.push_back(static_cast<std::int64_t>(sum));
    }
    if (sum != shape.rows)
        throw Failure{shape.last_line, "the last of " + std::to_string(shape.rows) +
                                           " rows, but the sizes of the queries add up to " +
                                           std::to_string(sum)};
    return offsets;
}

/// Queries, documents and the rest that is not in the table yet. Throws a Failure.
inline void put_together(std::span<const LetorPart> parts, const LetorOptions& options, std::size_t threads,
                         Letor& letor) {
    std::optional<Failure> failure;
    for (const LetorPart& part : parts) {
        if (part.failure) keep_first(failure, *part.failure);
    }
    if (!options.sized) join_queries(parts, letor, failure);
    if (failure) throw std::move(*failure);
    if (options.sized) {
        letor.offsets = offsets_of(options.sizes, letor.shape);
    } else {
        letor.offsets.push_back(static_cast<std::int64_t>(letor.shape.rows));
    }
    letor.ends.assign(1, 0);
    letor.ends.reserve(letor.shape.rows + 1);
    bool null = false;
    for (const LetorPart& part : parts) {
        letor.documents += part.documents;
        for (const std::int64_t size : part.sizes) letor.ends.push_back(letor.ends.back() + size);
        null |= part.null;
        if (letor.largest == 0) letor.of_feature = part.of_feature;
        letor.largest += part.largest;
    }
    if (null) letor.wide ? fill_nulls<double>(letor, threads) : fill_nulls<float>(letor, threads);
}

/// Reads the lines of some ranges into a table of this kind of numbers.
template <class Number>
std::vector<LetorPart> read_table(const Text& text, std::span<const Range> ranges, std::span<const Extent> extents,
                                  std::size_t threads, Letor& letor) {
    const LetorShape& shape = letor.shape;
    letor.wide = sizeof(Number) == sizeof(double);
    letor.table.reset();  // before there is another
    letor.table.reset(static_cast<std::byte*>(
        std::calloc(std::max<std::size_t>(shape.rows * shape.width, 1), sizeof(Number))));
    if (!letor.table) throw std::bad_alloc();
    std::vector<LetorPart> parts(ranges.size());
    run_parallel(ranges.size(), threads, [&] {
        return [&, scan = LetorScan<Number>(text, shape, letor.numbers<Number>(), letor.grades.data(), letor.sample),
                window = Window{}](std::size_t i) mutable {
            parts[i] = scan.read(text.load(ranges[i], window), extents[i]);
        };
    });
    return parts;
}

/// Reads features. Throws an InputError: what a sequential reader would meet first, whatever the number of threads.
inline Letor read_letor(const Text& text, const LetorOptions& options) {
    const bool little = text.size() < 1 << 18 && options.part_bytes == 0;
    const std::size_t threads = little ? 1 : thread_count(options.threads);
    const std::uint64_t part_bytes =
        options.part_bytes != 0 ? options.part_bytes : choose_part_bytes(text.size(), threads);
    try {
        const std::vector<Range> ranges = ranges_of_lines(text, part_bytes);
        std::vector<Extent> extents(ranges.size());
        run_parallel(ranges.size(), threads, [&] {
            return [&, window = Window{}](std::size_t i) mutable {
                extents[i] = extent_of(text.load(ranges[i], window));
            };
        });
        Letor letor;
        letor.shape = shape_of(text.size(), extents, options.width, !options.sized);
        letor.grades.resize(letor.shape.rows);
        const std::uint64_t fitting = sample_numbers / std::max<std::uint64_t>(letor.shape.width, 1);
        letor.sample.resize(std::min({letor.shape.rows, sample_rows, fitting}) * letor.shape.width);
        std::vector<LetorPart> parts = read_table<float>(text, ranges, extents, threads, letor);
        if (std::any_of(parts.begin(), parts.end(), [](const LetorPart& part) { return part.needs_double; }))
            parts = read_table<double>(text, ranges, extents, threads, letor);
        put_together(parts, options, threads, letor);
        return letor;
    } catch (const Failure& failure) {
        throw text.error(failure);
    }
}

}  // namespace gradeval
