// gradeval._core.Pools
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "judge/pools.hpp"
#include "judge/qrels.hpp"
#include "python/bindings.hpp"
#include "python/columns_from_python.hpp"
#include "python/from_python.hpp"

namespace gradeval {

using namespace nb::literals;

namespace {

Repeated rule_named(const std::string& name) {
    if (name == "same") return Repeated::same;
    if (name == "first") return Repeated::first;
    if (name == "best") return Repeated::best;
    if (name == "mean") return Repeated::mean;
    return Repeated::refuse;
}

Pools pools_of_bytes(nb::handle data, nb::str where, const std::string& repeated) {
    const Buffer buffer(data);
    const std::string name = name_of(where);
    const nb::gil_scoped_release free_threads;
    return read_qrels(buffer.bytes(), name, rule_named(repeated));
}

Pools pools_of_mapping(nb::handle mapping, nb::str where, const std::string& repeated) {
    const std::string name = name_of(where);
    PoolsBuilder builder;
    std::uint32_t topic = 0;
    read_mapping(
        mapping, name, "grade", [&](std::string_view text, std::size_t) { topic = builder.topic(text); },
        [&](std::string_view document, double grade) { builder.add(topic, document, grade, 0); });
    // The keys of a mapping differ, but where they are no plain str two of them may be the same text.
    return builder.build(
        rule_named(repeated), say_the_same, [&](std::string_view of, const Judgment& first, const Judgment& second) {
            return InputError(name + ": document " + in_quotes(first.document) + " of topic " + excerpt(of) +
                              " is given twice" + grades_of(first, second) + "; " + once_in_qrels);
        });
}

Pools pools_of_columns(nb::tuple topics, nb::tuple documents, Vector<double> grades, nb::str where,
                       const std::string& repeated) {
    return with_columns(topics, documents, grades, where, [&](auto& t, auto& d, auto g, auto& name, nb::list) {
        return read_qrels(t, d, g, name, rule_named(repeated));
    });
}

/// What a pickle keeps. The hash tables are made again, since another process hashes in another way.
nb::tuple state_of(const Pools& pools) {
    PackedIds topics, documents;
    for (std::size_t t = 0; t < pools.topics(); ++t) topics.add(pools.topic(t));
    for (std::int64_t i = 0; i < pools.offsets().back(); ++i) documents.add(pools.document(i));
    return nb::make_tuple(topics.sizes(), topics.bytes(), raw(pools.offsets()), documents.sizes(),
                          documents.bytes(), raw(pools.grades()));
}

Pools pools_of_state(nb::tuple state) {
    PackedIds topics(state[0], state[1]);
    PackedIds documents(state[3], state[4]);
    const auto offsets = numbers_of<std::int64_t>(state[2]);
    const auto grades = numbers_of<double>(state[5]);
    if (offsets.size() != topics.size() + 1 || grades.size() != documents.size() || offsets.front() != 0 ||
        static_cast<std::size_t>(offsets.back()) != grades.size() || !std::is_sorted(offsets.begin(), offsets.end()))
        throw nb::value_error("a damaged pickle");
    PoolsBuilder builder;
    for (std::size_t t = 0; t + 1 < offsets.size(); ++t) {
        const std::uint32_t topic = builder.topic(topics.take());
        for (std::int64_t i = offsets[t]; i < offsets[t + 1]; ++i)
            builder.add(topic, documents.take(), grades[static_cast<std::size_t>(i)], 0);
    }
    return builder.build(Repeated::refuse, say_the_same, [](std::string_view, const Judgment&, const Judgment&) {
        return std::invalid_argument("a damaged pickle");
    });
}

nb::list documents_of(const Pools& pools, std::size_t topic) {
    if (topic >= pools.topics()) throw nb::index_error("no such topic");
    nb::list documents;
    for (std::int64_t i = pools.offsets()[topic]; i < pools.offsets()[topic + 1]; ++i)
        documents.append(text(pools.document(i)));
    return documents;
}

nb::list topics_of(const Pools& pools) {
    nb::list topics;
    for (std::size_t t = 0; t < pools.topics(); ++t) topics.append(text(pools.topic(t)));
    return topics;
}

Pools select_topics(const Pools& pools, const std::vector<std::size_t>& topics) {
    std::vector<bool> seen(pools.topics());
    for (const std::size_t topic : topics) {
        if (topic >= pools.topics()) throw nb::index_error("no such topic");
        if (seen[topic]) throw nb::value_error("a topic is chosen twice");
        seen[topic] = true;
    }
    return pools.select(topics);
}

/// The pools of the documents that are not excluded, and a byte for each document that says whether it is left.
nb::tuple without(const Pools& pools, bool itself, nb::tuple pairs) {
    const std::vector<std::uint8_t> left = exclusion_of(itself, pairs).left_of(pools);
    return nb::make_tuple(keep_documents(pools, left), raw(left));
}

}  // namespace

void bind_pools(nb::module_& m) {
    nb::class_<Pools>(m, "Pools")
        .def_static("of_bytes", &pools_of_bytes, "data"_a, "where"_a, "repeated"_a = "refuse")
        .def_static("of_mapping", &pools_of_mapping, "mapping"_a, "where"_a, "repeated"_a = "refuse")
        .def_static("of_columns", &pools_of_columns, "topics"_a, "documents"_a, "grades"_a.noconvert(),
                    "where"_a, "repeated"_a = "refuse")
        .def_prop_ro("topics", &topics_of)
        .def_prop_ro("repeated", &Pools::repeated)
        .def_prop_ro("offsets",
                     [](nb::handle_t<Pools> self) { return view(nb::cast<Pools&>(self).offsets(), self); })
        .def_prop_ro("grades",
                     [](nb::handle_t<Pools> self) { return view(nb::cast<Pools&>(self).grades(), self); })
        .def("documents", &documents_of, "topic"_a)
        .def("select", &select_topics, "topics"_a)
        .def("without", &without, "itself"_a, "pairs"_a)
        .def("__getstate__", &state_of)
        .def("__setstate__", [](Pools& self, nb::tuple state) { new (&self) Pools(pools_of_state(state)); });
}

}  // namespace gradeval
