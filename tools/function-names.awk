# Makes tools/FunctionNames.h from test/abi/functions.tsv.
BEGIN {
  FS = "\t"
  print "// Made from test/abi/functions.tsv: the functions of the MPI standard."
  print "#pragma once\n\n#include <array>\n\ninline constexpr std::array functionNames{"
}
FNR > 1 { print "    \"" $1 "\"," }
END { print "};" }
