#include "invoice.hpp"

namespace invoice {

namespace {

constexpr int64_t ms_per_day = 24 * 60 * 60 * 1000;

std::string euros(const nat& cents) {
  const auto rest = (cents % 100).to_string();
  return (cents / 100).to_string() + "." + (rest.size() == 1 ? "0" : "") + rest + " EUR";
}

} // namespace

outcome<nat> net(effects<error>& fx, order of) {
  nat sum;
  for (auto& line : of.lines) {
    const auto rebate = line.rebate_percent.value_or(0);
    if (rebate > 100)
      return fx.fail(line.article + ": a rebate of " + rebate.to_string() + " percent");
    sum += line.pieces * line.cents * (nat{100} - rebate) / 100;
  }
  return sum;
}

total with_tax(nat net_cents, nat tax_percent) {
  auto tax = net_cents * tax_percent / 100;
  return {net_cents, tax, net_cents + tax};
}

std::string render(effects<trace>& fx, order of, total sum) {
  fx.trace("an invoice for " + of.customer);
  std::string text = "Invoice for " + of.customer + "\n";
  for (auto& line : of.lines)
    text += line.pieces.to_string() + " x " + line.article + " at " + euros(line.cents) + "\n";
  return text + "net " + euros(sum.net_cents) + ", tax " + euros(sum.tax_cents) + ", total " +
         euros(sum.gross_cents) + "\n";
}

produced<nat, reminder> remind(nat days, clock_ms now, std::optional<reminder> last) {
  const auto sent = last ? last->sent + 1 : nat{};
  return {{sent}, reminder{sent}, now + days.to_int64() * ms_per_day};
}

} // namespace invoice
