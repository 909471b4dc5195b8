# Makes tools/FunctionNames.h from test/abi/functions.tsv.
BEGIN {
  FS = "\t"
  print "// Made from test/abi/functions.tsv: the functions of the MPI standard."
  print "#pragma once\n\ninline constexpr const char* functionNames[] = {"
}
FNR > 1 { print "    \"" $1 "\"," }
END { print "};" }
