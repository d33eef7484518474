#define CAF_SUITE access
#include "actors/eval/access.hpp"

#include <caf/test/unit_test.hpp>

using namespace caf_app::eval;

namespace {

const std::string token_a = "token-of-a-0123456789";
const std::string token_b = "token-of-b-0123456789";

std::string fault_of(std::string_view text) {
  auto result = access_list::read(text);
  auto why = std::get_if<std::string>(&result);
  return why ? *why : "fine";
}

} // namespace

CAF_TEST(an empty list admits everybody to everything) {
  const auto who = access_list{}.admit("");
  CAF_REQUIRE(who);
  CAF_CHECK_EQUAL(who->organisation, "");
  CAF_CHECK_EQUAL(organisation_of(*who, "").value_or("refused"), "public");
  CAF_CHECK_EQUAL(organisation_of(*who, "any").value_or("refused"), "any");
}

CAF_TEST(a trusted token acts for any organisation) {
  const auto list = access_list::trusted(token_a);
  CAF_CHECK(!list.admit(""));
  CAF_CHECK(!list.admit(token_b));
  CAF_REQUIRE(list.admit(token_a));
  CAF_CHECK_EQUAL(organisation_of(*list.admit(token_a), "x").value_or("refused"), "x");
}

CAF_TEST(tokens of organisations act for their own) {
  auto read = access_list::read("# tokens\n\n" + token_a + " org-a\r\n  " + token_b + "\torg-b");
  CAF_REQUIRE(std::holds_alternative<access_list>(read));
  const auto& list = std::get<access_list>(read);
  CAF_CHECK(!list.admit("org-a"));
  CAF_REQUIRE(list.admit(token_b));
  const auto who = *list.admit(token_b);
  CAF_CHECK_EQUAL(who.organisation, "org-b");
  CAF_CHECK_EQUAL(organisation_of(who, "").value_or("refused"), "org-b");
  CAF_CHECK_EQUAL(organisation_of(who, "org-b").value_or("refused"), "org-b");
  CAF_CHECK_EQUAL(organisation_of(who, "org-a").value_or("refused"), "refused");
}

CAF_TEST(faults of a list name the line and no token) {
  CAF_CHECK_EQUAL(fault_of(""), "expected at least one line TOKEN ORGANISATION");
  CAF_CHECK_EQUAL(fault_of("\n0123456789abcde org"),
                  "line 2: expected a token of at least 16 bytes");
  CAF_CHECK_EQUAL(fault_of("0123456789abcdef org"), "fine");
  const auto shape = "line 1: expected TOKEN ORGANISATION, the latter of letters, digits, - and _";
  CAF_CHECK_EQUAL(fault_of(token_a), shape);
  CAF_CHECK_EQUAL(fault_of(token_a + " a/b"), shape);
  CAF_CHECK_EQUAL(fault_of(token_a + " a b"), shape);
  CAF_CHECK_EQUAL(fault_of(token_a + " a\n" + token_a + " b"), "line 2: expected each token once");
}
