// The most random list with a value: Newton's method for stationary points of the entropy.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

namespace gradeval {

/// A list whose probabilities p[rank, class] are sought, for all classes of documents but one, the reference.
///
/// Its value is the sum of p[n, a] (linear[n, a] + discount[n] (sum over ranks m < n of pair[a, b] p[m, b])).
struct RandomList {
    std::size_t ranks = 0;
    std::size_t classes = 0;
    std::vector<double> linear;    ///< [rank, class]
    std::vector<double> pair;      ///< [class at the deeper rank, class above it]
    std::vector<double> discount;  ///< [rank]
    std::vector<double> mass;      ///< [class]: how many documents, more than 0
    double value = 0;              ///< the value that is to be met
    double room = 1;               ///< errors of the value are divided by it
};

/// Where the iteration is: multipliers and logits, and what follows from them.
///
/// It is at its end where every logit is lambda times the gradient of the value plus mu of its class, and the value and
/// the mass of each class are met.
struct RandomState {
    double lambda = 0;
    std::vector<double> mu;     ///< [class]
    std::vector<double> logit;  ///< [rank, class]: logarithm of the odds to the reference

    std::vector<double> p;         ///< [rank, class]
    std::vector<double> gradient;  ///< [rank, class]: of the value
    std::vector<double> gap;       ///< [rank, class]: what the logit is beyond lambda gradient + mu
    std::vector<double> excess;    ///< of the value, and of the mass of each class
    double unrest = 0;             ///< the largest change of a probability if the gaps were closed
    double missed = 0;             ///< norm of the excess, each relative to its size
    double error = 0;              ///< the same with the gaps, weighted by the uncertainty of their document
};

/// Newton's method for one list of so many classes; 0: of any number.
template <std::size_t Fixed>
class RandomListSolver {
  public:
    explicit RandomListSolver(const RandomList& list)
        : list_(list),
          interacts_(std::any_of(list.pair.begin(), list.pair.end(), [](double pair) { return pair != 0; })),
          step_(list.ranks * classes()) {}

    /// Steps from `state` until nothing is off by more than `precision`: how many states were tried, and whether it is so.
    std::pair<std::size_t, bool> solve(RandomState& state, double precision, std::size_t most) {
        evaluate(state);
        RandomState next = state;
        for (std::size_t turn = 1;; ++turn) {
            if (state.unrest <= precision && state.missed <= precision) return {turn, true};
            // Far away the gradient is taken as it is: such steps also leave stationary points of less entropy. Near
            // the end it moves along with the list.
            const bool moves = interacts_ && (turn > approaching || state.error <= near);
            if (turn >= most || !(moves ? find_step(state) : find_step_at_gradient(state))) return {turn, false};
            double size = longest_step(state);
            for (int cut = 0; cut < cuts; ++cut, size *= 0.4) {
                take_step(state, size, next);
                if (moves ? next.error <= (1 - 0.1 * size) * state.error
                          : next.missed <= (1 - 0.1 * size) * state.missed) {
                    break;
                }
            }
            if (!std::isfinite(next.error)) return {turn, false};
            std::swap(state, next);
        }
    }

  private:
    static constexpr std::size_t approaching = 12;  ///< turns at most
    static constexpr double near = 0.1;  ///< error
    static constexpr int cuts = 5;          ///< lengths that are tried for a step
    static constexpr double farthest = 12;  ///< change of a logit in a step
    static constexpr double large = 500;    ///< logit up to which its exponential is far from overflow

    std::size_t classes() const noexcept { return Fixed != 0 ? Fixed : list_.classes; }
    /// Right sides of the equations of a step: 1, the change of lambda, and of mu for each class.
    std::size_t sides() const noexcept { return classes() + 2; }

    /// Computes what follows from the multipliers and logits.
    void evaluate(RandomState& state) const {
        const std::size_t ranks = list_.ranks, width = classes();
        state.p.resize(ranks * width);
        state.gap.resize(ranks * width);
        state.gradient = list_.linear;
        state.excess.assign(width + 1, 0.0);
        double value = 0;
        double* const total = state.excess.data() + 1;
        for (std::size_t n = 0; n < ranks; ++n) {
            const double* const logit = &state.logit[n * width];
            double* const p = &state.p[n * width];
            double* const gradient = &state.gradient[n * width];
            const double highest = *std::max_element(logit, logit + width);
            const double shift = highest > large ? highest : 0.0;
            double odds = shift > 0 ? std::exp(-shift) : 1.0;  // of the reference
            for (std::size_t a = 0; a < width; ++a) odds += p[a] = std::exp(logit[a] - shift);
            for (std::size_t a = 0; a < width; ++a) {
                p[a] /= odds;
                if (interacts_) {
                    double above = 0;
                    for (std::size_t b = 0; b < width; ++b) above += list_.pair[a * width + b] * total[b];
                    gradient[a] += list_.discount[n] * above;
                }
                value += p[a] * gradient[a];
            }
            for (std::size_t a = 0; a < width; ++a) total[a] += p[a];
        }
        std::vector<double> below(width), worth(width);
        double unrest = 0, sum = 0;
        for (std::size_t n = ranks; n-- > 0;) {
            for (std::size_t a = 0; a < width; ++a) {
                const std::size_t i = n * width + a;
                const double p = state.p[i], doubt = p * (1 - p);
                state.gradient[i] += worth[a];
                const double gap = state.logit[i] - state.lambda * state.gradient[i] - state.mu[a];
                state.gap[i] = gap;
                unrest = std::max(unrest, std::abs(gap) * doubt);
                sum += gap * gap * doubt;
                below[a] += list_.discount[n] * p;
            }
            for (std::size_t a = 0; interacts_ && a < width; ++a) {
                worth[a] = 0;
                for (std::size_t b = 0; b < width; ++b) worth[a] += list_.pair[b * width + a] * below[b];
            }
        }
        state.excess[0] = value - list_.value;
        double missed = std::pow(state.excess[0] / list_.room, 2);
        for (std::size_t a = 0; a < width; ++a) {
            total[a] -= list_.mass[a];
            missed += std::pow(total[a] / list_.mass[a], 2);
        }
        state.unrest = unrest;
        state.missed = std::sqrt(missed);
        state.error = std::sqrt(missed + sum);
    }

    /// Newton's step, into step_, dlambda_ and dmu_; false: there is none.
    ///
    /// A step dz of the logits changes p by W dz, with W = diag(p) - p p' at each rank. What is above a rank changes by
    /// s[n+1] = s[n] + W dz, what is below, with its discounts, by t[n-1] = t[n] + discount[n] W dz, and
    ///
    ///     dz = lambda (discount[n] pair s[n] + pair' t[n]) + r, where r = -gap + gradient dlambda + dmu.
    ///
    /// Up the ranking one finds R, q, M and k with t[n] = R s[n+1] + q and s[n+1] = M s[n] + k; down it s follows.
    bool find_step(const RandomState& state) {
        const std::size_t ranks = list_.ranks, width = classes(), columns = sides(), row = 2 * width + columns;
        further_.resize(ranks * width * width);
        offset_.resize(ranks * width * columns);
        std::vector<double> R(width * width), next(width * width), q(width * columns), r(width * columns);
        std::vector<double> W(width * width), up(width * width), system(width * row);
        for (std::size_t n = ranks; n-- > 0;) {
            const double discount = list_.discount[n];
            spread_of(state, n, W);
            sides_of(state, n, r);
            // With up = lambda W pair': (I - up R) (M, k) = (I + lambda discount W pair, W r + up q).
            for (std::size_t a = 0; a < width; ++a) {
                double* const of_class = &system[a * row];
                for (std::size_t b = 0; b < width; ++b) {
                    double above = 0, below = 0;
                    for (std::size_t c = 0; c < width; ++c) {
                        above += W[a * width + c] * list_.pair[c * width + b];
                        below += W[a * width + c] * list_.pair[b * width + c];
                    }
                    up[a * width + b] = state.lambda * below;
                    of_class[width + b] = (a == b ? 1.0 : 0.0) + state.lambda * discount * above;
                }
                for (std::size_t b = 0; b < width; ++b) {
                    double sum = a == b ? 1.0 : 0.0;
                    for (std::size_t c = 0; c < width; ++c) sum -= up[a * width + c] * R[c * width + b];
                    of_class[b] = sum;
                }
                for (std::size_t j = 0; j < columns; ++j) {
                    double sum = 0;
                    for (std::size_t c = 0; c < width; ++c) {
                        sum += W[a * width + c] * r[c * columns + j] + up[a * width + c] * q[c * columns + j];
                    }
                    of_class[2 * width + j] = sum;
                }
            }
            if (!solve_system(system, width, row)) return false;
            double* const M = &further_[n * width * width];
            double* const k = &offset_[n * width * columns];
            for (std::size_t a = 0; a < width; ++a) {
                for (std::size_t b = 0; b < width; ++b) M[a * width + b] = system[a * row + width + b];
                for (std::size_t j = 0; j < columns; ++j) k[a * columns + j] = system[a * row + 2 * width + j];
            }
            // q becomes (R + discount) k + q, and R becomes (R + discount) M - discount.
            for (std::size_t a = 0; a < width; ++a) R[a * width + a] += discount;
            for (std::size_t a = 0; a < width; ++a) {
                for (std::size_t j = 0; j < columns; ++j) {
                    for (std::size_t c = 0; c < width; ++c) q[a * columns + j] += R[a * width + c] * k[c * columns + j];
                }
                for (std::size_t b = 0; b < width; ++b) {
                    double sum = a == b ? -discount : 0.0;
                    for (std::size_t c = 0; c < width; ++c) sum += R[a * width + c] * M[c * width + b];
                    next[a * width + b] = sum;
                }
            }
            std::swap(R, next);
        }
        std::vector<double> s(width * columns), before(width * columns), responses((width + 1) * columns);
        for (std::size_t n = 0; n < ranks; ++n) {
            const double* const M = &further_[n * width * width];
            const double* const k = &offset_[n * width * columns];
            std::swap(s, before);
            for (std::size_t a = 0; a < width; ++a) {
                const double gradient = state.gradient[n * width + a];
                for (std::size_t j = 0; j < columns; ++j) {
                    double sum = k[a * columns + j];
                    for (std::size_t c = 0; c < width; ++c) sum += M[a * width + c] * before[c * columns + j];
                    s[a * columns + j] = sum;
                    responses[j] += gradient * (sum - before[a * columns + j]);
                }
            }
        }
        std::copy(s.begin(), s.end(), responses.begin() + static_cast<std::ptrdiff_t>(columns));
        if (!find_multipliers(state, responses)) return false;
        follow(state);
        return std::all_of(step_.begin(), step_.end(), [](double step) { return std::isfinite(step); });
    }

    /// The step for these multipliers: s down the ranking, and t up it.
    void follow(const RandomState& state) {
        const std::size_t ranks = list_.ranks, width = classes(), columns = sides();
        moved_.assign((ranks + 1) * width, 0.0);
        for (std::size_t n = 0; n < ranks; ++n) {
            for (std::size_t a = 0; a < width; ++a) {
                const std::size_t i = n * width + a;
                double sum = offset_[i * columns] + offset_[i * columns + 1] * dlambda_;
                for (std::size_t b = 0; b < width; ++b) sum += offset_[i * columns + 2 + b] * dmu_[b];
                for (std::size_t b = 0; b < width; ++b) sum += further_[i * width + b] * moved_[n * width + b];
                moved_[i + width] = sum;
            }
        }
        std::vector<double> t(width);
        for (std::size_t n = ranks; n-- > 0;) {
            for (std::size_t a = 0; a < width; ++a) {
                double above = 0, below = 0;
                for (std::size_t b = 0; b < width; ++b) {
                    above += list_.pair[a * width + b] * moved_[n * width + b];
                    below += list_.pair[b * width + a] * t[b];
                }
                const std::size_t i = n * width + a;
                step_[i] = state.lambda * (list_.discount[n] * above + below) - state.gap[i] +
                           state.gradient[i] * dlambda_ + dmu_[a];
            }
            for (std::size_t a = 0; a < width; ++a) {
                t[a] += list_.discount[n] * (moved_[(n + 1) * width + a] - moved_[n * width + a]);
            }
        }
    }

    /// The same were the gradient to stay as it is: dz = r.
    bool find_step_at_gradient(const RandomState& state) {
        const std::size_t width = classes(), columns = sides();
        std::vector<double> W(width * width), r(width * columns), responses((width + 1) * columns);
        for (std::size_t n = 0; n < list_.ranks; ++n) {
            spread_of(state, n, W);
            sides_of(state, n, r);
            for (std::size_t a = 0; a < width; ++a) {
                const double gradient = state.gradient[n * width + a];
                for (std::size_t j = 0; j < columns; ++j) {
                    double change = 0;
                    for (std::size_t c = 0; c < width; ++c) change += W[a * width + c] * r[c * columns + j];
                    responses[j] += gradient * change;
                    responses[(a + 1) * columns + j] += change;
                }
            }
        }
        if (!find_multipliers(state, responses)) return false;
        for (std::size_t n = 0; n < list_.ranks; ++n) {
            for (std::size_t a = 0; a < width; ++a) {
                const std::size_t i = n * width + a;
                step_[i] = state.gradient[i] * dlambda_ + dmu_[a] - state.gap[i];
            }
        }
        return true;
    }

    /// W[class, class] at a rank.
    void spread_of(const RandomState& state, std::size_t n, std::vector<double>& W) const {
        const std::size_t width = classes();
        const double* const p = &state.p[n * width];
        for (std::size_t a = 0; a < width; ++a) {
            for (std::size_t b = 0; b < width; ++b) W[a * width + b] = p[a] * ((a == b ? 1.0 : 0.0) - p[b]);
        }
    }

    /// r[class, side] at a rank.
    void sides_of(const RandomState& state, std::size_t n, std::vector<double>& r) const {
        const std::size_t width = classes(), columns = sides();
        for (std::size_t a = 0; a < width; ++a) {
            r[a * columns] = -state.gap[n * width + a];
            r[a * columns + 1] = state.gradient[n * width + a];
            for (std::size_t b = 0; b < width; ++b) r[a * columns + 2 + b] = a == b ? 1.0 : 0.0;
        }
    }

    /// Changes of the multipliers that end the excess, of responses[constraint, side]; false: there are none.
    bool find_multipliers(const RandomState& state, const std::vector<double>& responses) {
        const std::size_t order = classes() + 1, columns = sides(), row = order + 1;
        std::vector<double> system(order * row), scale(order);
        for (std::size_t a = 0; a < order; ++a) {
            scale[a] = std::sqrt(std::max(std::abs(responses[a * columns + a + 1]), 1e-300));
        }
        for (std::size_t a = 0; a < order; ++a) {
            for (std::size_t b = 0; b < order; ++b) {
                system[a * row + b] = responses[a * columns + b + 1] / (scale[a] * scale[b]) + (a == b ? 1e-12 : 0.0);
            }
            system[a * row + order] = (-state.excess[a] - responses[a * columns]) / scale[a];
        }
        if (!solve_system(system, order, row)) return false;
        dlambda_ = system[order] / scale[0];
        dmu_.resize(classes());
        bool finite = std::isfinite(dlambda_);
        for (std::size_t a = 0; a < classes(); ++a) {
            dmu_[a] = system[(a + 1) * row + order] / scale[a + 1];
            finite = finite && std::isfinite(dmu_[a]);
        }
        return finite;
    }

    /// Solves the system in the first `order` columns for the others, in place; false: it is singular.
    static bool solve_system(std::vector<double>& rows, std::size_t order, std::size_t width) {
        for (std::size_t column = 0; column < order; ++column) {
            std::size_t pivot = column;
            for (std::size_t a = column + 1; a < order; ++a) {
                if (std::abs(rows[a * width + column]) > std::abs(rows[pivot * width + column])) pivot = a;
            }
            double* const chosen = &rows[pivot * width];
            double* const own = &rows[column * width];
            if (!(std::abs(chosen[column]) > 0)) return false;
            if (pivot != column) std::swap_ranges(own + column, own + width, chosen + column);
            const double inverse = 1 / own[column];
            for (std::size_t b = column + 1; b < width; ++b) own[b] *= inverse;
            for (std::size_t a = 0; a < order; ++a) {
                if (a == column) continue;
                double* const other = &rows[a * width];
                for (std::size_t b = column + 1; b < width; ++b) other[b] -= other[column] * own[b];
            }
        }
        return true;
    }

    /// The share of the step that moves no logit too far. What is as good as certain may become more so.
    double longest_step(const RandomState& state) const {
        double most = 0;
        for (std::size_t i = 0; i < step_.size(); ++i) {
            const double size = std::abs(step_[i]);
            if (size > most) most = std::max(most, size * std::sqrt(std::sqrt(4 * state.p[i] * (1 - state.p[i]))));
        }
        return most > farthest ? farthest / most : 1.0;
    }

    /// The state after a share of the step.
    void take_step(const RandomState& state, double size, RandomState& next) const {
        next.lambda = state.lambda + size * dlambda_;
        for (std::size_t a = 0; a < classes(); ++a) next.mu[a] = state.mu[a] + size * dmu_[a];
        for (std::size_t i = 0; i < step_.size(); ++i) next.logit[i] = state.logit[i] + size * step_[i];
        evaluate(next);
    }

    const RandomList& list_;
    bool interacts_;
    std::vector<double> step_;     ///< dz[rank, class]
    double dlambda_ = 0;
    std::vector<double> dmu_;      ///< [class]
    std::vector<double> further_;  ///< M[rank, class, class]
    std::vector<double> offset_;   ///< k[rank, class, side]
    std::vector<double> moved_;    ///< s[rank, class]
};

}  // namespace gradeval
