// The tool interface: initialization, enumerations and categories. MPI-5.0, sections 15.3.4, 15.3.5 and
// 15.3.9.
//
// Any thread, at any time: before MPI_Init and after MPI_Finalize too. Nothing invokes an error handler.
// Errors of all but MPI_T_init_thread: MPI_T_ERR_NOT_INITIALIZED outside MPI_T_init_thread and
// MPI_T_finalize, MPI_T_ERR_INVALID for a null pointer that has to be there, MPI_T_ERR_INVALID_INDEX.
// Strings come with a length: in, the room for them; out, what the whole string needs, its null character
// counted. Results of the get_info functions that are not wanted may be null pointers.
#include "api/ToolGuard.h"

#include "mpl/Log.h"

#include <algorithm>
#include <cstring>

using namespace mpl;
using namespace mpl::api;

namespace mpl::api {

ToolState& toolState = *new ToolState;

int toolError(const char* function) noexcept {
  try {
    throw;
  } catch (const Error& error) {
    log::debug(function, ": ", error.message());
    return error.errorClass();
  } catch (const std::bad_alloc&) {
    return MPI_T_ERR_MEMORY;
  } catch (...) {
    return MPI_ERR_INTERN;
  }
}

void giveText(std::string_view text, char* buffer, int* length) noexcept {
  if (length == nullptr)
    return;
  if (buffer != nullptr && *length > 0) {
    const std::size_t shown = std::min(text.size(), static_cast<std::size_t>(*length) - 1);
    std::memcpy(buffer, text.data(), shown);
    buffer[shown] = '\0';
  }
  *length = static_cast<int>(text.size()) + 1;
}

MPI_T_enum enumHandle(int index) noexcept {
  return reinterpret_cast<MPI_T_enum>(static_cast<std::uintptr_t>(index + 1));
}

} // namespace mpl::api

namespace {

const ToolEnum& enumOf(MPI_T_enum handle) {
  const std::vector<ToolEnum>& enums = ToolCatalogue::get().enums;
  const auto number = reinterpret_cast<std::uintptr_t>(handle);
  if (number == 0 || number > enums.size())
    fail(MPI_T_ERR_INVALID_HANDLE, "enumtype is no enumeration");
  return enums[number - 1];
}

const ToolCategory& categoryAt(int index) {
  return itemAt(ToolCatalogue::get().categories, index, "cat_index");
}

void giveList(const std::vector<int>& list, int length, int* indices) {
  if (length < 0)
    fail(MPI_T_ERR_INVALID, "len is ", length, ", which is negative");
  if (length > 0)
    requireResult(indices, "indices");
  std::copy_n(list.begin(), std::min(list.size(), static_cast<std::size_t>(length)), indices);
}

} // namespace

extern "C" {

/// required: MPI_THREAD_SINGLE to MPI_THREAD_MULTIPLE. provided: MPI_THREAD_MULTIPLE always. As often as
/// wanted; each call takes one of MPI_T_finalize. Errors: MPI_T_ERR_INVALID.
int PMPI_T_init_thread(int required, int* provided) {
  const std::lock_guard lock(toolState.mutex);
  if (required < MPI_THREAD_SINGLE || required > MPI_THREAD_MULTIPLE || provided == nullptr)
    return MPI_T_ERR_INVALID;
  try {
    ToolCatalogue::get();
  } catch (...) {
    return MPI_T_ERR_CANNOT_INIT;
  }
  *provided = MPI_THREAD_MULTIPLE;
  ++toolState.users;
  return MPI_SUCCESS;
}

/// The last one makes all sessions and handles of tools invalid.
int PMPI_T_finalize(void) {
  return toolCall("MPI_T_finalize", [] {
    if (--toolState.users == 0) {
      dropControlHandles();
      dropPvarSessions();
    }
  });
}

/// num: how many items. Errors also: MPI_T_ERR_INVALID_HANDLE.
int PMPI_T_enum_get_info(MPI_T_enum enumtype, int* num, char* name, int* name_len) {
  return toolCall("MPI_T_enum_get_info", [&] {
    const ToolEnum& found = enumOf(enumtype);
    give(static_cast<int>(found.items.size()), num);
    giveText(found.name, name, name_len);
  });
}

/// indx: 0 to the number of items less 1. value: what variables have for it. Errors also:
/// MPI_T_ERR_INVALID_HANDLE, MPI_T_ERR_INVALID_ITEM.
int PMPI_T_enum_get_item(MPI_T_enum enumtype, int indx, int* value, char* name, int* name_len) {
  return toolCall("MPI_T_enum_get_item", [&] {
    const ToolEnum& found = enumOf(enumtype);
    if (indx < 0 || static_cast<std::size_t>(indx) >= found.items.size())
      fail(MPI_T_ERR_INVALID_ITEM, "indx is ", indx, ": there are ", found.items.size());
    give(indx, value);
    giveText(found.items[static_cast<std::size_t>(indx)], name, name_len);
  });
}

int PMPI_T_category_get_num(int* num_cat) {
  return toolCall("MPI_T_category_get_num", [&] {
    requireResult(num_cat, "num_cat");
    *num_cat = static_cast<int>(ToolCatalogue::get().categories.size());
  });
}

int PMPI_T_category_get_info(int cat_index, char* name, int* name_len, char* desc, int* desc_len,
                             int* num_cvars, int* num_pvars, int* num_categories) {
  return toolCall("MPI_T_category_get_info", [&] {
    const ToolCategory& category = categoryAt(cat_index);
    giveText(category.name, name, name_len);
    giveText(category.meaning, desc, desc_len);
    give(static_cast<int>(category.controls.size()), num_cvars);
    give(static_cast<int>(category.variables.size()), num_pvars);
    give(static_cast<int>(category.parts.size()), num_categories);
  });
}

/// Errors also: MPI_T_ERR_INVALID_NAME.
int PMPI_T_category_get_index(const char* name, int* cat_index) {
  return toolCall("MPI_T_category_get_index", [&] {
    requireResult(name, "name");
    requireResult(cat_index, "cat_index");
    *cat_index = indexOf(ToolCatalogue::get().categories, name,
                         [](const ToolCategory& category) -> std::string_view { return category.name; });
  });
}

/// indices: the first len of them, or all.
int PMPI_T_category_get_cvars(int cat_index, int len, int indices[]) {
  return toolCall("MPI_T_category_get_cvars",
                  [&] { giveList(categoryAt(cat_index).controls, len, indices); });
}

/// As MPI_T_category_get_cvars.
int PMPI_T_category_get_pvars(int cat_index, int len, int indices[]) {
  return toolCall("MPI_T_category_get_pvars",
                  [&] { giveList(categoryAt(cat_index).variables, len, indices); });
}

/// As MPI_T_category_get_cvars.
int PMPI_T_category_get_categories(int cat_index, int len, int indices[]) {
  return toolCall("MPI_T_category_get_categories",
                  [&] { giveList(categoryAt(cat_index).parts, len, indices); });
}

/// update_number: always the same, as nothing is ever added.
int PMPI_T_category_changed(int* update_number) {
  return toolCall("MPI_T_category_changed", [&] {
    requireResult(update_number, "update_number");
    *update_number = 1;
  });
}

} // extern "C"

#include "api/tool.aliases.h"
