// Runs in Python's dictionaries meet the judgments where they are: no line is copied.
#pragma once

#include <nanobind/nanobind.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "judge/judge.hpp"
#include "python/from_python.hpp"

namespace gradeval {

/// The treatment of ties that Python names.
inline Ties ties_named(const std::string& name) {
    if (name == "docid") return Ties::docid;
    if (name == "docid-float32") return Ties::docid_float32;
    if (name == "order") return Ties::order;
    throw InputError("ties: " + in_quotes(name) +
                     " is unknown; accepted are 'docid', 'docid-float32' and 'order'");
}

/// Reads the topics of a dictionary {topic: {document: score}}. The lines of a topic are views into its strings, so the
/// lock of Python is held throughout and nothing may run that could change a dictionary: only what is read without running
/// Python is taken (dict, str, float, int).
class MappingReader {
  public:
    /// Calls each(key, topic, lines) for every topic. False where it returns false, or the dictionary holds something else,
    /// which only a copy can take. Throws an InputError.
    template <class Each>
    bool read(nb::handle mapping, const std::string& where, Each&& each) {
        if (!PyDict_Check(mapping.ptr())) return false;
        Py_ssize_t at = 0;
        PyObject* key = nullptr;
        PyObject* documents = nullptr;
        while (PyDict_Next(mapping.ptr(), &at, &key, &documents)) {
            if (!PyUnicode_CheckExact(key) || !PyDict_Check(documents)) return false;
            const std::string_view topic = utf8_of(key, where, "topic");
            if (!gather(documents, where, topic)) return false;
            if (!each(key, topic, std::span<const Line>(lines_))) return false;
        }
        return true;
    }

  private:
    /// The lines of a topic; false where a key or a value is no str or number of Python.
    bool gather(PyObject* documents, const std::string& where, std::string_view topic) {
        lines_.clear();
        Py_ssize_t at = 0;
        PyObject* key = nullptr;
        PyObject* value = nullptr;
        while (PyDict_Next(documents, &at, &key, &value)) {
            if (!PyUnicode_CheckExact(key)) return false;  // equal texts might then be two keys
            const std::string_view document = utf8_of(key, where, "document");
            double score = 0.0;
            if (PyFloat_Check(value)) {  // np.float64, too
                score = PyFloat_AsDouble(value);
                if (!std::isfinite(score)) score = number_of(value, where, "score", topic, document);  // throws
            } else if (PyLong_CheckExact(value)) {
                score = number_of(value, where, "score", topic, document);
            } else {
                return false;
            }
            lines_.emplace_back(document.data(), score, hash_of(document), static_cast<std::uint32_t>(document.size()));
        }
        return true;
    }

    std::vector<Line> lines_;
};

/// Judges one dictionary at a time, topic by topic, and fills its rows.
class MappingJudge {
  public:
    MappingJudge(const Pools& pools, Ties ties, bool tied_ranks, const Exclusion& excluded, std::size_t runs)
        : pools_(pools), ties_(ties), tied_ranks_(tied_ranks), excluded_(excluded), met_(runs, pools.topics()) {
        met_.tags.resize(met_.runs);
        met_.skipped.resize(met_.runs);
    }

    /// False where the dictionary holds something that only a copy can take. Throws an InputError.
    bool read(nb::handle mapping, const std::string& where) {
        results_.assign(met_.topics, {});
        entries_.clear();
        const bool whole = reader_.read(mapping, where, [&](PyObject*, std::string_view topic, std::span<const Line> lines) {
            judge_topic(topic, lines);
            return true;
        });
        if (!whole) return false;
        fill_rows();
        ++run_;
        return true;
    }

    Met finish() { return std::move(met_); }

  private:
    void judge_topic(std::string_view topic, std::span<const Line> lines) {
        const std::uint32_t pool = pools_.find_topic(topic);
        if (pool == Names::none) {
            met_.unjudged_topics[run_].emplace_back(topic);
            return;
        }
        const std::size_t row = run_ * met_.topics + pool;
        if (!excluded_.empty()) {
            const std::span<const Line> left = leave_out(topic, lines, excluded_, bench_);
            met_.excluded[row] = static_cast<std::int32_t>(lines.size() - left.size());
            lines = left;
        }
        results_[pool] = rank_and_look_up(lines, pools_, pool, ties_, bench_, entries_);
        met_.retrieved[row] = static_cast<std::int32_t>(lines.size());
        met_.tied[row] = static_cast<std::int32_t>(results_[pool].tied);
        met_.itself[row] = begins_with_itself(topic, lines, bench_);
    }

    /// Appends what was found, in the order of the topics of the judgments.
    void fill_rows() {
        for (std::size_t t = 0; t < met_.topics; ++t) {
            for (std::uint64_t i = results_[t].begin; i < results_[t].end; ++i) met_.append(entries_[i], tied_ranks_);
            met_.offsets[run_ * met_.topics + t + 1] = static_cast<std::int64_t>(met_.rank.size());
        }
    }

    const Pools& pools_;
    Ties ties_;
    bool tied_ranks_;
    const Exclusion& excluded_;
    Met met_;  // no rank column, so none contradicts; keys differ, so none is repeated
    std::size_t run_ = 0;
    Workbench bench_;
    MappingReader reader_;
    std::vector<Entry> entries_;
    std::vector<TopicResult> results_;
};

}  // namespace gradeval
