#include "api/ToolCatalogue.h"

#include "onesided/WindowVariables.h"

#include <algorithm>
#include <cstring>

namespace mpl::api {

namespace {

std::vector<std::string> choicesOf(std::string_view choices) {
  std::vector<std::string> list;
  for (std::size_t begin = 0; begin <= choices.size();) {
    const std::size_t end = std::min(choices.find('|', begin), choices.size());
    list.emplace_back(choices.substr(begin, end - begin));
    begin = end + 1;
  }
  return list;
}

template <class T> void store(void* to, T value) {
  std::memcpy(to, &value, sizeof value);
}

} // namespace

const ToolCatalogue& ToolCatalogue::get() {
  static const auto* catalogue = new ToolCatalogue; // never destroyed: tools may ask late
  return *catalogue;
}

ToolCatalogue::ToolCatalogue() {
  addSettings();
  addCategory(windowVariables());
}

void ToolCatalogue::addSettings() {
  enums.push_back({"switch", {"off", "on"}});
  ToolCategory category{
      "settings", "the library's settings, from environment variables of the same names", {}, {}, {}};
  for (const SettingRow& row : settingTable()) {
    ControlVariable control{&row, MPI_UNSIGNED_LONG_LONG, -1};
    switch (row.kind) {
    case SettingKind::flag:
      control.datatype = MPI_INT;
      control.enumeration = 0;
      break;
    case SettingKind::word:
      control.datatype = MPI_INT;
      control.enumeration = static_cast<int>(enums.size());
      enums.push_back({std::string(row.name), choicesOf(row.choices)});
      break;
    case SettingKind::seconds:
      control.datatype = MPI_DOUBLE;
      break;
    case SettingKind::integer:
    case SettingKind::bytes:
      break;
    }
    category.controls.push_back(static_cast<int>(controls.size()));
    controls.push_back(control);
  }
  categories.push_back(std::move(category));
}

int ToolCatalogue::addCategory(VariableCategory category) {
  const auto index = static_cast<int>(categories.size());
  categories.push_back({std::move(category.name), std::move(category.meaning), {}, {}, {}});
  for (PerformanceVariable& variable : category.variables) {
    categories[static_cast<std::size_t>(index)].variables.push_back(static_cast<int>(variables.size()));
    variables.push_back(std::move(variable));
  }
  for (VariableCategory& part : category.parts) {
    const int added = addCategory(std::move(part));
    categories[static_cast<std::size_t>(index)].parts.push_back(added);
  }
  return index;
}

void ControlVariable::read(void* value) const {
  const Config& config = Config::get();
  switch (setting->kind) {
  case SettingKind::flag:
    return store(value, config.flag(setting->setting) ? 1 : 0);
  case SettingKind::word: {
    const std::vector<std::string> choices = choicesOf(setting->choices);
    const auto found = std::find(choices.begin(), choices.end(), config.word(setting->setting));
    return store(value, static_cast<int>(found - choices.begin()));
  }
  case SettingKind::seconds:
    return store(value, std::chrono::duration<double>(config.duration(setting->setting)).count());
  case SettingKind::integer:
    return store(value, static_cast<unsigned long long>(config.integer(setting->setting)));
  case SettingKind::bytes:
    return store(value, static_cast<unsigned long long>(config.bytes(setting->setting)));
  }
}

} // namespace mpl::api
