# Sourced by installed-test: mpicc, mpicxx, mpic++ and the pkg-config files. $bin holds the wrappers.
root=$(dirname "$bin")
libdir=$(dirname "$(find "$root" -name libmpi_abi.so.1)")

for wrapper in mpicc mpicxx mpic++; do
  run "$wrapper" -showme:link
  says "-L" && says -lmpi_abi && [ "$(grep -o -e '-l[a-z_]*' "$work/out")" = -lmpi_abi ]
  verdict "$wrapper -showme:link names one library"
  run "$wrapper" -showme:compile
  says "-I\"$root/include\"" && saysNothingOf -lmpi_abi
  verdict "$wrapper -showme:compile names the folder of mpi.h"
  run "$wrapper" -showme:incdirs
  says "$root/include"
  verdict "$wrapper -showme:incdirs"
  run "$wrapper" -showme:libdirs
  says "$libdir"
  verdict "$wrapper -showme:libdirs"
  run "$wrapper" -showme:libs
  saysExactly mpi_abi
  verdict "$wrapper -showme:libs"
  run "$wrapper" -showme:nonsense
  refuses '-showme:nonsense is not known' && [ "$(wc -l < "$work/out")" -eq 1 ]
  verdict "$wrapper refuses an unknown -showme:"
  run "$wrapper" -compile-info
  says "$root/include" && saysNothingOf -lmpi_abi
  verdict "$wrapper -compile-info"
  run "$wrapper" -link-info
  says -lmpi_abi && saysNothingOf "$root/include"
  verdict "$wrapper -link-info"
  run "$wrapper" -show x.o -o x
  says "$root/include" && says -lmpi_abi && says 'x.o -o x'
  verdict "$wrapper -show of a link"
  run "$wrapper" -show -c "it's a file.c" '-DCOST="$1"' "-DQUOTE='\\'"
  says "\"it's a file.c\"" && says "'-DCOST=\"\$1\"' '-DQUOTE='\\''\\'\\'''" && saysNothingOf -lmpi_abi
  verdict "$wrapper -show of a compilation quotes for the shell"
done

run mpicc -showme:command
command=$(cat "$work/out")
run mpicc --version
version=$(cat "$work/out")
run $command --version
saysExactly "$version"
verdict "mpicc --version is the compiler's"
run mpicc -v
saysNothingOf 'undefined reference'
verdict 'mpicc -v links nothing'
run env MPL_CC='echo chosen compiler' mpicc -c x.c
says 'chosen compiler' && says '-c x.c'
verdict 'MPL_CC'
run env MPL_CXX='echo chosen compiler' mpicxx -c x.cpp
says 'chosen compiler'
verdict 'MPL_CXX'
run env MPL_CXX=none mpicc -showme:command
saysExactly "$command"
verdict 'MPL_CXX is not for mpicc'
run mpicc -cc=another -showme:command
saysExactly another
verdict '-cc='
ln -s "$bin/mpicc" "$work/link-to-mpicc"
run "$work/link-to-mpicc" -showme:incdirs
says "$root/include"
verdict 'a link to mpicc finds the installation'

cp "$here/test/tools/hello.c" "$work/hello there.c"
cp "$here/test/tools/hello.cpp" "$work"
run mpicc -Wall -Wextra -Werror -DTEXT='"a b"' "$work/hello there.c" -o "$work/hello"
[ "$status" -eq 0 ]
verdict 'mpicc compiles and links'
run "$work/hello"
saysExactly 'hello from 0 of 1'
verdict 'the C program runs alone'
run readelf -d "$work/hello"
says 'libmpi_abi.so.1' && [ "$(grep NEEDED "$work/out" | grep -vcE 'libmpi_abi\.so\.1|libc\.|lib.*san\.|ld-linux')" -eq 0 ]
verdict 'the C program needs libmpi_abi alone'
run mpicc -c "$work/hello there.c" -o "$work/hello.o"
[ "$status" -eq 0 ] && [ ! -s "$work/out" ]
verdict 'mpicc -c'
run mpicxx -Wall -Wextra -Werror "$work/hello.cpp" -o "$work/hello-cpp"
[ "$status" -eq 0 ]
verdict 'mpicxx compiles and links'
run "$work/hello-cpp"
saysExactly 'hello from 0 of 1'
verdict 'the C++ program runs alone'

if command -v mpirun.openmpi > /dev/null 2>&1 || command -v prterun > /dev/null 2>&1; then
  run mpiexec --oversubscribe -n 2 "$work/hello"
  says 'hello from 0 of 2' && says 'hello from 1 of 2' && [ "$(grep -c hello "$work/out")" -eq 2 ]
  verdict 'mpiexec -n 2'
else
  echo 'skipped: no launcher is installed: mpiexec -n 2'
fi

if command -v pkg-config > /dev/null 2>&1; then
  for package in mpi_abi mpi-c; do
    # The tree was moved.
    run env PKG_CONFIG_PATH="$libdir/pkgconfig" pkg-config --cflags --libs $package
    says -lmpi_abi && cp "$work/out" "$work/flags" &&
      run sh -c "$command '$work/hello there.c' -o '$work/hello-$package' $(cat "$work/flags")" && [ "$status" -eq 0 ] &&
      run "$work/hello-$package" && saysExactly 'hello from 0 of 1'
    verdict "pkg-config $package in a tree that was moved"
    run env PKG_CONFIG_PATH="$libdir/pkgconfig" pkg-config --define-variable=prefix=/p --variable=includedir $package
    saysExactly /p/include
    verdict "pkg-config $package with another prefix"
  done
else
  echo 'skipped: pkg-config is not installed'
fi
