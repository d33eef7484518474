// The same for suites of actors, which include CAF whole.
#pragma once

#include <future>
#include <thread>

#include <boost/json.hpp>
#include <caf/all.hpp>

#include "precompiled.hpp"
