#pragma once

#include "mpl/Config.h"
#include "mpl/PerformanceVariable.h"

#include <string>
#include <string_view>
#include <vector>

namespace mpl::api {

/// The names of the values 0, 1, ... of an integer.
struct ToolEnum {
  std::string name;
  std::vector<std::string> items;
};

/// A setting as tools see it: flags and words are integers with names, times are seconds (MPI_DOUBLE), other
/// numbers MPI_UNSIGNED_LONG_LONG.
struct ControlVariable {
  const SettingRow* setting = nullptr;
  MPI_Datatype datatype = MPI_DATATYPE_NULL;
  int enumeration = -1; ///< index in ToolCatalogue::enums, or -1

  void read(void* value) const;
};

struct ToolCategory {
  std::string name;
  std::string meaning;
  std::vector<int> controls;
  std::vector<int> variables;
  std::vector<int> parts;
};

/// Everything that tools can ask for, by index. Made at the first use; never changes.
class ToolCatalogue {
public:
  static const ToolCatalogue& get();

  std::vector<ToolEnum> enums;
  std::vector<ControlVariable> controls;
  std::vector<PerformanceVariable> variables;
  std::vector<ToolCategory> categories;

private:
  ToolCatalogue();
  void addSettings();
  int addCategory(VariableCategory category);
};

} // namespace mpl::api
