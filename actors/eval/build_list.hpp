// Replies of several nodes to the same operation, made one.
#pragma once

#include <vector>

#include "caf_app/messages/eval.hpp"

namespace caf_app::eval {

/// Lists of builds as one list, each build once: ready ones before others, then in order of time.
/// What is no list is left out.
eval_reply merge_lists(const std::vector<eval_reply>& lists);

/// Whether `a` tells more about a build than `b`: success before refusal, ready before other
/// states, any other refusal before "not found".
bool is_better(const eval_reply& a, const eval_reply& b);

} // namespace caf_app::eval
