import { expect } from 'vitest'
import { exportedFiles, expectSameRows, guideCode, timesInFiles } from './exportedFiles.ts'
import { proveSpark } from './sparkSession.ts'

const printRows = `
import json
rows = df.withColumn("time", F.unix_millis("time")).collect()
print(json.dumps({name: [row[name] for row in rows] for name in df.columns}))
`

for (const kind of timesInFiles) {
  proveSpark(`the snippet of a series reads the rows of our own reader, times being ${kind}`, async (python) => {
    const files = await exportedFiles(kind)
    expectSameRows(await python((await files.snippet('Spark')) + printRows), files.rows)
  })

  proveSpark(
    `the guide’s code and the README of a Hive export read their example, times being ${kind}`,
    async (python) => {
      const { cache, folder, readme, minutes } = await exportedFiles(kind)
      const print = `
import json
counts = spark.sql("SELECT count(*) AS n FROM flow").collect()[0]["n"]
${readme('Spark')}
print(json.dumps({"guide": counts, "readme": df.count()}))`
      expect(await python(`${guideCode('Spark', cache)}\n${print}`, folder)).toEqual({
        guide: minutes.time.length,
        readme: minutes.time.length,
      })
    },
  )
}
