import { expect } from 'vitest'
import { exportedFiles, expectSameRows, guideCode, timesInFiles } from './exportedFiles.ts'
import { provePython } from './peer.ts'

/** A session on this machine alone, in the zone of the machine. */
const session = `
import json, os, sys
os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
os.environ["PYSPARK_PYTHON"] = sys.executable
from pyspark.sql import SparkSession
spark = (
    SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").config("spark.driver.host", "127.0.0.1")
    .config("spark.sql.shuffle.partitions", "1").config("spark.log.level", "ERROR").getOrCreate()
)
`
const printRows = `
rows = df.withColumn("time", F.unix_millis("time")).collect()
print(json.dumps({name: [row[name] for row in rows] for name in df.columns}))
`

for (const kind of timesInFiles) {
  provePython(
    'pyspark',
    `the snippet of a series reads the rows of our own reader, times being ${kind}`,
    async (python) => {
      const files = await exportedFiles(kind)
      const found = await python(session + (await files.snippet('Spark')) + printRows)
      expectSameRows(found, files.rows)
    },
  )

  provePython(
    'pyspark',
    `the guide’s code and the README of a Hive export read their example, times being ${kind}`,
    async (python) => {
      const { cache, folder, readme, minutes } = await exportedFiles(kind)
      const guide = guideCode('Spark', cache)
      const print = `
counts = spark.sql("SELECT count(*) AS n FROM flow").collect()[0]["n"]
${readme('Spark')}
print(json.dumps({"guide": counts, "readme": df.count()}))`
      expect(await python(`${session}${guide}\n${print}`, folder)).toEqual({
        guide: minutes.time.length,
        readme: minutes.time.length,
      })
    },
  )
}
