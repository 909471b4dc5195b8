#pragma once

#include "mpi.h"

#include <string>
#include <string_view>

namespace mpl {

/// Error classes and codes, MPI-5.0 sections 9.4 and 9.5. The codes that MPL's functions return are the plain
/// classes; the program may add classes and codes, numbered from MPI_ERR_LASTCODE+1 on, never twice the same.
/// Any thread may call any of these at any time, before MPI_Init and after MPI_Finalize too.

/// The class of a code. Errors: MPI_ERR_ARG for a number that is neither class nor code.
int errorClass(int code);

/// True for MPI_SUCCESS, the standard's classes and what was added.
bool isErrorCode(int code);

/// The text for a code: what setLastError() said where this thread's last failure had this code, else the
/// added or the general text (empty where none was added). At most MPI_MAX_ERROR_STRING-1 bytes. Errors:
/// MPI_ERR_ARG as errorClass().
std::string errorString(int code);

/// Keeps the full text of this thread's last failure for errorString(). Never throws; text is cut to fit.
void setLastError(int code, std::string_view text) noexcept;

int addErrorClass();
/// Errors: MPI_ERR_ARG where there is no such class.
int addErrorCode(int errorClass);
/// Errors: MPI_ERR_ARG where the code was not added, or the text is longer than MPI_MAX_ERROR_STRING-1 bytes.
void addErrorString(int code, std::string_view text);

/// Errors of the following: MPI_ERR_ARG where the class, code or text was not added; MPI_ERR_OTHER for a
/// class that still has codes, or a code that still has its text. A class takes its text with it.
void removeErrorClass(int errorClass);
void removeErrorCode(int code);
void removeErrorString(int code);

/// Where the value of the attribute MPI_LASTUSEDCODE is kept.
int* lastUsedCode() noexcept;

} // namespace mpl
