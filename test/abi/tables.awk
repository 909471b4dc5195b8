# Turns the tables of the standard ABI into a C (language=c) or C++ (language=c++) program that compiles only
# against an mpi.h which agrees with them. Input, in this order: constants.tsv, enums.tsv, types.txt,
# functions.tsv. #line makes the compiler name the line of the table. The C
# program is to be run: it prints an error for each address that differs.

function cxx() { return language == "c++" }

function same(type, other) {
  return cxx() ? "std::is_same<" type ", " other ">::value" \
               : "__builtin_types_compatible_p(" type ", " other ")"
}

function typeOf(name) { return cxx() ? "decltype(" name ")" : "__typeof__(" name ")" }

function require(condition, message) {
  gsub(/"/, "'", message)
  printf "#line %d \"%s\"\n", FNR, file
  printf "%s(%s, \"%s\");\n", cxx() ? "static_assert" : "_Static_assert", condition, message
}

function requireValue(name, value) { require("(" name ") == (" value ")", name ": the value is not " value) }

# The value of a pointer is no constant expression: the C program compares it when it runs.
function requireAddress(name, value) {
  if (!cxx()) addresses[++addressCount] = "if ((intptr_t)(" name ") != (intptr_t)(" value ")) puts(\"" file ":" FNR \
                                          ": error: " name ": the value is not that of " value "\");"
}

function requireField(type, name, offset) {
  require(same(typeOf("status." name), type) " && offsetof(MPI_Status, " name ") == " offset,
          "MPI_Status: " name " is not " type " at byte " offset)
}

BEGIN {
  FS = "\t"
  file = "MPI_Status"
  print "#include \"mpi.h\""
  print "#include <stddef.h>\n#include <stdio.h>"
  if (cxx()) print "#include <type_traits>"
  print "extern MPI_Status status;"
  require("sizeof(MPI_Status) == 32 && sizeof(status.MPI_internal) == 20", "MPI_Status: the size is not 32 bytes")
  requireField("int", "MPI_SOURCE", 0)
  requireField("int", "MPI_TAG", 4)
  requireField("int", "MPI_ERROR", 8)
  requireField("int[5]", "MPI_internal", 12)
  fundamental["MPI_Aint"] = "intptr_t"
  fundamental["MPI_Offset"] = "int64_t"
  fundamental["MPI_Count"] = "int64_t"
}

FNR == 1 { file = FILENAME; sub(/.*\//, "", file) }
/^name\t/ || NF == 0 { next }

file == "constants.tsv" && $2 == "alias" {
  require(same(typeOf("(" $1 ")"), typeOf("(" $3 ")")), $1 ": the type is not that of " $3)
  requireAddress($1, $3)
  next
}

# "int" and "int (enum)" alike: an int in C, in C++ an int or an unnamed enumeration that becomes one.
file == "constants.tsv" && $2 ~ /^int( |$)/ {
  if (cxx()) require("std::is_same<" typeOf("+(" $1 ")") ", int>::value || std::is_same<" typeOf("+(" $1 ")") \
                     ", unsigned>::value", $1 ": the type is not int")
  else require("_Generic((" $1 "), int: 1, default: 0)", $1 ": the type is not int")
  requireValue($1, $3)
  if ($1 ~ /VERSION$/) printf "#if %s != %s\n#error %s: not a macro of the value %s\n#endif\n", $1, $3, $1, $3
  next
}

file == "constants.tsv" {
  if (cxx()) require(same(typeOf("(" $1 ")"), $2), $1 ": the type is not " $2)
  else require("_Generic((" $1 "), " $2 ": 1, default: 0)", $1 ": the type is not " $2)
  if ($2 == "MPI_Offset") requireValue($1, $3)
  else requireAddress($1, $3)
}

file == "enums.tsv" {
  if (cxx()) require(same(typeOf($1), $2), $1 ": the type is not " $2)
  requireValue($1, $3)
}

file == "types.txt" && /^MPI_ABI_/ {
  split($0, word, " ")
  require(same(word[2], fundamental[word[2]]), word[2] ": not " fundamental[word[2]])
  next
}

file == "types.txt" && /^struct / {
  split($0, word, " ")
  sub(/\*$/, "", word[2])
  require(same(word[3], "struct " word[2] "*"), word[3] ": not a pointer to struct " word[2])
  next
}

file == "types.txt" && /\(MPI_/ {
  name = type = $0
  sub(/^[^(]*\(/, "", name)
  sub(/\).*/, "", name)
  sub(/\([A-Za-z_]*\)/, "", type)
  require(same(name, type), name ": not " type)
  next
}

file == "types.txt" {
  split($0, word, " ")
  require(same(word[2], word[1]), word[2] ": not " word[1])
}

file == "functions.tsv" {
  for (twin = 0; twin < 2; ++twin) {
    name = (twin ? "P" : "") $1
    require(same(typeOf(name), $2 "(" $3 ")"), name ": the prototype is not " $2 " " name "(" $3 ")")
    names[++count] = name
  }
}

END {
  if (cxx()) {
    # Refers to every function, so that the object's undefined symbols are the names the linker will look for.
    print "extern void const* volatile used;\nvoid const* volatile used;\nvoid use() {"
    for (i = 1; i <= count; ++i) printf "  used = reinterpret_cast<void const*>(&%s);\n", names[i]
    print "}"
  } else {
    print "int main(void) {"
    for (i = 1; i <= addressCount; ++i) print "  " addresses[i]
    print "  return 0;\n}"
  }
}
