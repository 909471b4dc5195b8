#pragma once

#include "mpi.h"

#include <exception>
#include <string>
#include <string_view>
#include <type_traits>

namespace mpl {

/// The one error type inside the library: an MPI error class (or a code made by MPI_Add_error_code) and a
/// message that says what was asked and what was found. Caught once, in api/, which puts the function's name
/// in front and gives it to the error handler of the object concerned.
class Error : public std::exception {
public:
  Error(int mpiClass, std::string message) : class_(mpiClass), message_(std::move(message)) {}

  int errorClass() const noexcept { return class_; }
  const std::string& message() const noexcept { return message_; }
  const char* what() const noexcept override { return message_.c_str(); }

private:
  int class_;
  std::string message_;
};

namespace detail {

inline void append(std::string& out, std::string_view text) {
  out.append(text);
}
inline void append(std::string& out, const char* text) {
  out.append(text != nullptr ? text : "(null)");
}
inline void append(std::string& out, char c) {
  out.push_back(c);
}
void appendPointer(std::string& out, const void* pointer);
inline void append(std::string& out, const void* pointer) {
  appendPointer(out, pointer);
}
template <class T>
requires std::is_arithmetic_v<T>
void append(std::string& out, T value) {
  out.append(std::to_string(value));
}

} // namespace detail

/// Joins text, numbers and pointers into one string: text("rank ", 7, " of ", size).
template <class... Parts> std::string text(const Parts&... parts) {
  std::string out;
  (detail::append(out, parts), ...);
  return out;
}

/// throw Error(mpiClass, text(parts...)), kept out of line so that the callers' hot paths stay small.
template <class... Parts>
[[noreturn, gnu::cold, gnu::noinline]] void fail(int mpiClass, const Parts&... parts) {
  throw Error(mpiClass, text(parts...));
}

/// The name of an MPI error class ("MPI_ERR_RANK"); "unknown error class" for others.
const char* errorClassName(int mpiClass) noexcept;

} // namespace mpl
