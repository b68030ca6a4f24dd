// Rows of judged documents as a rectangle.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

namespace gradeval {

/// Rankings row after row: their documents by rank, each an index into the pool of its topic; and all pools in a row.
struct RowsOfDocuments {
    const double* rank;
    const std::int32_t* document;
    std::size_t documents;
    const double* grade;  ///< of the documents of the pools
    const bool* judged;
    std::size_t pooled;
};

/// A row: its documents are `begin` .. `end`; the documents of its topic begin at `first` of the pools.
struct RowPlace {
    std::int64_t begin, end, first;
};

/// Four arrays [row, j] of the same width.
struct Rectangle {
    double* grades;
    double* ranks;
    bool* judged;
    std::int32_t* document;
    std::size_t width;
};

/// Fills one row; behind its documents stand documents at infinity, not judged, of no pool. False where the row does not
/// fit, or names a document that there is not.
inline bool lay_out(const RowsOfDocuments& from, const RowPlace& row, const Rectangle& to, std::size_t at) {
    const auto length = static_cast<std::size_t>(row.end - row.begin);
    if (row.begin < 0 || row.end < row.begin || static_cast<std::size_t>(row.end) > from.documents || length > to.width)
        return false;
    std::size_t cell = at * to.width;
    for (std::size_t j = 0; j < to.width; ++j, ++cell) {
        const bool there = j < length;
        const std::int32_t document = there ? from.document[static_cast<std::size_t>(row.begin) + j] : -1;
        const auto pooled = static_cast<std::uint64_t>(row.first + document);
        if (there && pooled >= from.pooled) return false;
        to.grades[cell] = there ? from.grade[pooled] : 0.0;
        to.ranks[cell] = there ? from.rank[static_cast<std::size_t>(row.begin) + j] : std::numeric_limits<double>::infinity();
        to.judged[cell] = there && from.judged[pooled];
        to.document[cell] = document;
    }
    return true;
}

}  // namespace gradeval
