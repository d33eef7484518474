#define CAF_SUITE git_plan
#include "actors/eval/git_plan.hpp"

#include <caf/test/unit_test.hpp>

using namespace caf_app::eval;

namespace {

std::string shown(const git_plan& plan) {
  std::string text;
  for (auto& command : plan.commands) {
    for (size_t i = 5; i < command.arguments.size(); ++i) // after the settings
      text += command.arguments[i] + " ";
    text += "; ";
  }
  return text;
}

} // namespace

CAF_TEST(a commit alone is fetched without history) {
  const auto plan = plan_git_fetch({"https://h/p", "abc", "", ""}, "/w");
  CAF_CHECK_EQUAL(shown(plan), "init -q --template= /w ; -C /w fetch -q --no-tags "
                               "--no-recurse-submodules --depth=1 -- https://h/p abc ; -C /w "
                               "checkout -q --detach abc ; ");
  CAF_CHECK_EQUAL(plan.source_folder, "/w");
}

CAF_TEST(a branch must contain the commit and a path is below the working copy) {
  const auto plan = plan_git_fetch({"https://h/p", "abc", "main", "sub/p"}, "/w");
  CAF_CHECK_EQUAL(shown(plan),
                  "init -q --template= /w ; -C /w fetch -q --no-tags --no-recurse-submodules -- "
                  "https://h/p +refs/heads/main:refs/remotes/origin/main ; -C /w merge-base "
                  "--is-ancestor abc refs/remotes/origin/main ; -C /w checkout -q --detach abc ; ");
  CAF_CHECK_EQUAL(plan.source_folder, "/w/sub/p");
}
