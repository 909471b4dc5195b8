# Sourced by installed-test: mpl_info of the installed tree.
run mpl_info
says "$libdir/libmpi_abi.so.1" && says MPL_LOG && says MPL_LAUNCHER
verdict 'mpl_info names the library and the variables'

# What it counts is what nm finds.
nm -D --defined-only "$libdir/libmpi_abi.so.1" | grep -cE ' W MPI_' > "$work/count"
run mpl_info --parsable
says "functions:$(cat "$work/count") of 664"
verdict 'mpl_info counts the functions'
says 'standard:5.0' && says 'abi:1.0' && says "ucx:$(pkg-config --modversion ucx)"
verdict 'mpl_info --parsable: versions'
[ "$(grep -vcE '^[a-z_]+:' "$work/out")" -eq 0 ]
verdict 'mpl_info --parsable: key:value in every line'
run mpl_info --missing
[ "$status" -eq 0 ] && [ "$(($(wc -l < "$work/out") + $(cat "$work/count")))" -eq 664 ] && ! grep -qx MPI_Init "$work/out"
verdict 'mpl_info --missing'
run env MPL_LOG=debug mpl_info --parsable
says setting:MPL_LOG:value:debug && says setting:MPL_LOG:source:environment
verdict 'mpl_info shows what the environment sets'
run env MPL_LOGG=debug mpl_info
says MPL_LOGG
verdict 'mpl_info complains of an unknown variable'
run env MPL_LAUNCHER=mpirun MPL_CC=gcc MPL_CXX=g++ mpl_info
saysNothingOf 'not known'
verdict "mpl_info does not complain of the tools' variables"
run mpl_info --nonsense
refuses '--nonsense is not known'
verdict 'mpl_info refuses an unknown option'
