// An invoice as a project for the evaluator: plain functions over plain structs. Amounts are whole
// cents, so that nothing is lost.
#pragma once

#include <caf_app/eval.hpp>

namespace invoice {

using namespace caf_app::eval;

struct line {
  std::string article;
  nat pieces;
  nat cents; // of one piece
  std::optional<nat> rebate_percent;
};
BOOST_DESCRIBE_STRUCT(line, (), (article, pieces, cents, rebate_percent))

struct order {
  std::string customer;
  std::vector<line> lines;
};
BOOST_DESCRIBE_STRUCT(order, (), (customer, lines))

struct total {
  nat net_cents;
  nat tax_cents;
  nat gross_cents;
};
BOOST_DESCRIBE_STRUCT(total, (), (net_cents, tax_cents, gross_cents))

struct reminder {
  nat sent;
};
BOOST_DESCRIBE_STRUCT(reminder, (), (sent))

/// The sum of an order. Fails for a rebate above 100.
outcome<nat> net(effects<error>& fx, order of);

/// Net, tax and their sum.
total with_tax(nat net_cents, nat tax_percent);

/// The text of an invoice; says in the call's log whom it is for.
std::string render(effects<trace>& fx, order of, total sum);

/// Counts reminders: one every `days` days.
produced<nat, reminder> remind(nat days, clock_ms now, std::optional<reminder> last);

} // namespace invoice
