// The main function of every suite: CAF's own test runner.
#include <caf/test/unit_test_impl.hpp>
