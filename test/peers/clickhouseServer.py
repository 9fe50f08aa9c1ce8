"""Runs a ClickHouse server: `clickhouse-local` inside ClickHouse's library opens its HTTP and native interfaces.

Arguments: the path of the library, then the arguments of `clickhouse-local`.
"""

import ctypes
import sys

library = ctypes.CDLL(sys.argv[1])
arguments = [argument.encode() for argument in ["clickhouse-local", *sys.argv[2:]]]
library.chdb_query_cmdline.restype = ctypes.c_void_p
library.chdb_result_error.restype = ctypes.c_char_p
library.chdb_result_error.argtypes = [ctypes.c_void_p]
result = library.chdb_query_cmdline(len(arguments), (ctypes.c_char_p * (len(arguments) + 1))(*arguments, None))
sys.exit(library.chdb_result_error(result).decode() if result else "the server did not start")
