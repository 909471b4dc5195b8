# Sourced by installed-test: a user's CMake project finds this MPI by its wrappers, builds and runs.
if mpicc -showme:link | grep -q fsanitize; then
  echo "skipped: a build with sanitizers: FindMPI passes no -fsanitize to the linker: CMake's FindMPI"
elif command -v cmake > /dev/null 2>&1; then
  mkdir "$work/project"
  cp "$here/test/tools/CMakeLists.txt" "$here/test/tools/hello.c" "$here/test/tools/hello.cpp" "$work/project"
  run cmake -S "$work/project" -B "$work/build" -DMPI_C_COMPILER="$bin/mpicc" -DMPI_CXX_COMPILER="$bin/mpicxx" \
    -DMPIEXEC_EXECUTABLE="$bin/mpiexec"
  says "$libdir/libmpi_abi.so" && says "$root/include" && says 'version 5.0'
  verdict "CMake's FindMPI asks the wrappers that it is given"
  run cmake --build "$work/build"
  [ "$status" -eq 0 ]
  verdict 'the CMake project builds'
  run "$work/build/hello-c"
  saysExactly 'hello from 0 of 1'
  verdict 'its C program runs'
  run "$work/build/hello-cpp"
  saysExactly 'hello from 0 of 1'
  verdict 'its C++ program runs'

  # Nothing is said: the first mpicc, mpicxx and mpiexec on the path are to be found.
  run cmake -S "$work/project" -B "$work/build-by-path"
  says "$libdir/libmpi_abi.so" && says "launcher $bin/mpiexec -n"
  verdict "CMake's FindMPI finds wrappers and mpiexec on the path"
else
  echo "skipped: cmake is not installed: CMake's FindMPI"
fi
