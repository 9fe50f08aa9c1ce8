import type { GuideSection } from '../guideSection.ts'

/**
 * `CACHE` stands for the folder of a connection's files. The snippets of DuckDB are run by a test on files that the app wrote.
 */
export const duckdbSnippets = [
  `SELECT dataset, exchange, symbol, interval, count(*) AS rows, min(time) AS first, max(time) AS last
FROM read_parquet('CACHE/metrics/**/*.parquet', hive_partitioning = true, union_by_name = true)
GROUP BY ALL ORDER BY ALL;`,
  `SELECT * FROM read_parquet('CACHE/metrics/dataset=vtwap/**/*.parquet', hive_partitioning = true)
WHERE exchange = 'venuea-futures' AND interval = '1h' AND timestamp = 'exchange'
ORDER BY symbol, time;`,
  `COPY (
  SELECT * FROM read_parquet('CACHE/metrics/dataset=vtwap/**/*.parquet', hive_partitioning = true)
) TO 'OUT' (FORMAT parquet, PARTITION_BY (exchange, symbol), COMPRESSION zstd);`,
] as const

const code = (language: string, text: string) => ({ language, code: text })

export const outgrowing: GuideSection = {
  id: 'outgrowing',
  title: 'Outgrowing the laptop',
  keywords: 'duckdb pandas polars spark clickhouse hive parquet cluster bucket nfs export sql',
  blocks: [
    'The cache is a folder of Parquet files in Hive partitions: dataset, venue, symbol, interval and timestamp source stand in the names of the folders. Every engine that reads this layout reads the cache as it is, and leaves out by the folders’ names what a question does not concern. In the examples `CACHE` is `files/<connection>` in the [data folder](/guide/data-folder).',
    'Symbols hold colons and slashes, which folder names cannot; they are written as `%3A` and the like. Engines decode them.',
    { heading: 'DuckDB' },
    'Read in place, filter by folders, write elsewhere:',
    ...duckdbSnippets.map((text) => code('SQL', text)),
    { heading: 'pandas' },
    code(
      'Python',
      `import pandas as pd
flow = pd.read_parquet("CACHE/metrics/dataset=flow", filters=[("interval", "==", "1m")])`,
    ),
    { heading: 'Polars' },
    code(
      'Python',
      `import polars as pl
flow = (
    pl.scan_parquet("CACHE/metrics/dataset=flow/**/*.parquet", hive_partitioning=True)
    .filter(pl.col("exchange") == "venuea-futures", pl.col("interval") == "1m")
    .collect()
)`,
    ),
    { heading: 'Spark' },
    'Copy the folder to where the cluster can read it (a mounted bucket, NFS, HDFS); the partitions are found by themselves.',
    code(
      'Python',
      `flow = spark.read.option("basePath", "CACHE/metrics").parquet("CACHE/metrics/dataset=flow")
flow.where("exchange = 'venuea-futures' AND interval = '1m'").createOrReplaceTempView("flow")
spark.sql("SELECT symbol, count(*) FROM flow GROUP BY symbol").show()`,
    ),
    { heading: 'ClickHouse' },
    code(
      'SQL',
      `SELECT symbol, count()
FROM file('CACHE/metrics/dataset=flow/**/*.parquet', Parquet)
WHERE interval = '1m'
GROUP BY symbol
SETTINGS use_hive_partitioning = 1;`,
    ),
    'The snippets for DuckDB are run on files of this app by its tests. Those for the other engines are written from their documentation.',
    { heading: 'A copy elsewhere' },
    'What is in the cache of some datasets goes to any folder, in the same layout, with a note of where every file came from; a mounted bucket or NFS will do. The folder appears only when it is complete.',
    code(
      'Shell',
      'perpscope export --dataset flow,ohlcv --exchange venuea-futures --interval 1m --format hive --out /mnt/research/flow',
    ),
    { heading: 'How to go on filling it' },
    'Keep a small machine with the command line and a nightly `perpscope fetch`, let its data folder lie on storage that the engines see, and chart from your laptop through `perpscope serve` and an SSH tunnel: one cache, many readers.',
  ],
}
