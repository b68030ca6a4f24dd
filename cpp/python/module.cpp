// gradeval._core: what Python sees of the compiled core. A page of contents.
#include <nanobind/nanobind.h>

#include "python/bindings.hpp"
#include "text/error.hpp"

namespace nb = nanobind;

NB_MODULE(_core, m) {
    m.doc() = "The compiled core of gradeval: bytes to tokens, the meeting of runs and judgments, "
              "orders, sums and pairs of documents.";

    // A script's own measure stays in the registry, and with it all that the script holds, until the process ends: no leak.
    nb::set_leak_warnings(false);

    // Users know it as gradeval.InputError, and tracebacks and pickles say so.
    nb::exception<gradeval::InputError>(m, "InputError", PyExc_ValueError).attr("__module__") = "gradeval";

    m.attr("ONCE_IN_RUN") = gradeval::once_in_run;
    m.attr("ONCE_IN_QRELS") = gradeval::once_in_qrels;

    gradeval::bind_files(m);  // bytes of files
    gradeval::bind_pools(m);  // judgments, hashed
    gradeval::bind_lines(m);  // a run
    gradeval::bind_judge(m);  // runs meet judgments
    gradeval::bind_values(m);  // values as dictionaries
    gradeval::bind_ranking(m);  // documents of arrays in order, and sums over them
    gradeval::bind_program(m);  // formulas, step by step
    gradeval::bind_letor(m);  // features for learning to rank
    gradeval::bind_pairs(m);  // losses of learning to rank, and their gradients
    gradeval::bind_entropy(m);  // the most random lists with given values
    gradeval::answer_signals_between_tasks();  // Ctrl-C in long loops
}
