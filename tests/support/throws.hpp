// Whether a call throws; CAF's framework has no check of its own for that.
#pragma once

template <class Error, class Call>
bool throws(Call call) {
  try {
    static_cast<void>(call());
  } catch (const Error&) {
    return true;
  }
  return false;
}
