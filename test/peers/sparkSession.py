"""Runs all programs of a test file in one Spark process, because each start takes seconds and leaves a cold JVM.

Reads one line of JSON per program, {"program", "cwd"}, and answers with one line of JSON: the last line that the program printed,
or its error. Each program receives a new session named `spark`, with separate settings and views.
"""
import contextlib, io, json, os, sys, traceback

os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
os.environ["PYSPARK_PYTHON"] = sys.executable
from pyspark.sql import SparkSession

settings = {
    "spark.ui.enabled": "false",
    "spark.driver.host": "127.0.0.1",
    "spark.log.level": "ERROR",
    # Spark shuffles into two hundred partitions by default, which takes minutes for so few rows.
    "spark.sql.shuffle.partitions": "1",
    # Each plan runs once on few rows, so optimizing compilation would cost more than it saves.
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1",
}


def start():
    builder = SparkSession.builder.master("local[2]")
    for name, value in settings.items():
        builder = builder.config(name, value)
    return builder.getOrCreate()


def enter(base, cwd):
    """Changes the folder of Python and of Hadoop, which resolves relative paths in the JVM, where chdir has no effect."""
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
