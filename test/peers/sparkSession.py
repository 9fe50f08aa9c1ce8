"""One Spark session on this machine for all programs of a test file, because each start takes seconds and each JVM is cold.

Reads a line of JSON per program, {"program", "cwd"}, and answers with a line: the last one that the program printed, or its error.
A program gets a new session named `spark`, with settings and views of its own.
"""
import contextlib, io, json, os, sys, traceback

os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
os.environ["PYSPARK_PYTHON"] = sys.executable
from pyspark.sql import SparkSession

settings = {
    "spark.ui.enabled": "false",
    "spark.driver.host": "127.0.0.1",
    "spark.log.level": "ERROR",
    # Two hundred partitions, which Spark makes of a shuffle by itself, take minutes for so few rows.
    "spark.sql.shuffle.partitions": "1",
    # Plans of so few rows are run once: what compiles them for long runs costs more than it saves.
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1",
}


def start():
    builder = SparkSession.builder.master("local[2]")
    for name, value in settings.items():
        builder = builder.config(name, value)
    return builder.getOrCreate()


def enter(base, cwd):
    """Relative paths are those of the JVM, which knows no chdir."""
    os.chdir(cwd)
    hadoop = base._jvm.org.apache.hadoop.fs
    hadoop.FileSystem.get(base._jsc.hadoopConfiguration()).setWorkingDirectory(hadoop.Path(cwd))


def answer(base, program, cwd):
    enter(base, cwd)
    printed = io.StringIO()
    try:
        with contextlib.redirect_stdout(printed):
            exec(compile(program, "proof.py", "exec"), {"__name__": "__main__", "spark": base.newSession()})
        return {"printed": (printed.getvalue().rstrip().split("\n") or [""])[-1]}
    except Exception:
        return {"error": traceback.format_exc()}


base = start()
for line in sys.stdin:
    print(json.dumps(answer(base, **json.loads(line))), flush=True)
