// The one block of type ids. Append only: ids are part of the wire format. A type that is missing
// here compiles and fails when it is serialized. For configure.cpp: everybody else calls
// add_messages().
#pragma once

#include <vector>

#include <caf/all.hpp>

#include "caf_app/base/error.hpp"
#include "caf_app/messages/eval.hpp"
#include "caf_app/messages/http.hpp"
#include "caf_app/messages/json.hpp"
#include "caf_app/messages/registry.hpp"
#include "caf_app/messages/supervision.hpp"

CAF_BEGIN_TYPE_ID_BLOCK(caf_app, caf::first_custom_type_id)
  CAF_ADD_TYPE_ID(caf_app, (caf_app::errc))
  CAF_ADD_TYPE_ID(caf_app, (caf_app::json_request))
  CAF_ADD_TYPE_ID(caf_app, (caf_app::json_reply))
  CAF_ADD_TYPE_ID(caf_app, (caf_app::http_field))
  CAF_ADD_TYPE_ID(caf_app, (std::vector<caf_app::http_field>))
  CAF_ADD_TYPE_ID(caf_app, (caf_app::http_request))
  CAF_ADD_TYPE_ID(caf_app, (caf_app::http_response))
  CAF_ADD_TYPE_ID(caf_app, (caf_app::http_cancel))
  CAF_ADD_TYPE_ID(caf_app, (caf_app::down))
  CAF_ADD_TYPE_ID(caf_app, (caf_app::registry_change))
  CAF_ADD_TYPE_ID(caf_app, (caf_app::name_event))
  CAF_ADD_TYPE_ID(caf_app, (caf_app::group_event))
  CAF_ADD_TYPE_ID(caf_app, (caf_app::name_info))
  CAF_ADD_TYPE_ID(caf_app, (std::vector<caf_app::name_info>))
  CAF_ADD_TYPE_ID(caf_app, (caf_app::group_info))
  CAF_ADD_TYPE_ID(caf_app, (std::vector<caf_app::group_info>))
  CAF_ADD_TYPE_ID(caf_app, (std::vector<uint64_t>))
  CAF_ADD_TYPE_ID(caf_app, (caf_app::names_query))
  CAF_ADD_TYPE_ID(caf_app, (caf_app::name_list))
  CAF_ADD_TYPE_ID(caf_app, (caf_app::groups_query))
  CAF_ADD_TYPE_ID(caf_app, (caf_app::group_list))
  CAF_ADD_TYPE_ID(caf_app, (caf_app::adopt_child))
  CAF_ADD_TYPE_ID(caf_app, (caf_app::remove_child))
  CAF_ADD_TYPE_ID(caf_app, (caf_app::name_lost))
  CAF_ADD_TYPE_ID(caf_app, (caf_app::claim_name))
  CAF_ADD_TYPE_ID(caf_app, (caf_app::release_name))
  CAF_ADD_TYPE_ID(caf_app, (caf_app::group_part))
  CAF_ADD_TYPE_ID(caf_app, (std::vector<caf_app::group_part>))
  CAF_ADD_TYPE_ID(caf_app, (caf_app::eval_request))
  CAF_ADD_TYPE_ID(caf_app, (caf_app::eval_reply))
  CAF_ADD_TYPE_ID(caf_app, (caf_app::eval_cancel))
  CAF_ADD_TYPE_ID(caf_app, (caf_app::eval_call))
  CAF_ADD_TYPE_ID(caf_app, (caf_app::eval_build_request))
  CAF_ADD_TYPE_ID(caf_app, (caf_app::eval_started))
  CAF_ADD_TYPE_ID(caf_app, (caf_app::eval_artefact_request))
  CAF_ADD_TYPE_ID(caf_app, (caf_app::eval_artefact_chunk))
  CAF_ADD_TYPE_ID(caf_app, (caf_app::request_key))
  CAF_END_TYPE_ID_BLOCK(caf_app)
