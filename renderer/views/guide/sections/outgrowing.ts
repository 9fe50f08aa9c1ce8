import { clickHouseInstant, duckDbRowsIn, pandasRowsIn, polarsRowsIn, sparkRowsIn } from '#shared/export/mixedTimes.ts'
import type { GuideSection } from '../guideSection.ts'

/**
 * DuckDB snippets, in which `CACHE` stands for the folder of a connection's files and `OUT` for the folder to write. A
 * test runs them on files that the app wrote.
 */
export const duckdbSnippets = [
  `${duckDbRowsIn(true)}

SET VARIABLE cache = rows_in('CACHE/metrics/**/*.parquet');
SELECT dataset, exchange, symbol, interval, count(*) AS rows, min(time) AS first, max(time) AS last
FROM query(getvariable('cache'))
GROUP BY ALL ORDER BY ALL;`,
  `SET VARIABLE vtwap = rows_in('CACHE/metrics/dataset=vtwap/**/*.parquet');
SELECT * FROM query(getvariable('vtwap'))
WHERE exchange = 'VENUE' AND interval = '1h' AND timestamp = 'exchange'
ORDER BY symbol, time;`,
  `COPY (SELECT * FROM query(getvariable('vtwap')))
TO 'OUT' (FORMAT parquet, PARTITION_BY (exchange, symbol), COMPRESSION zstd);`,
] as const

const codeBlock = (language: string, text: string) => ({ language, code: text })

export const outgrowing: GuideSection = {
  id: 'outgrowing',
  title: 'Outgrowing the laptop',
  keywords: 'duckdb pandas polars spark clickhouse hive parquet cluster bucket nfs export sql store s3 team publish',
  blocks: [
    'The cache is a folder of Parquet files in Hive partitions: dataset, venue, symbol, interval and timestamp source are in the folder names. Every engine that reads this layout can query the cache in place and skips the partitions that a query does not need. In the examples `CACHE` is `files/<connection>` in the [data folder](/guide/data-folder).',
    'Folder names cannot contain the colons and slashes of symbols, so these are percent-encoded (`%3A`). Most engines decode them.',
    'Each snippet defines `rows_in`, because `time` may be whole milliseconds in some files and a timestamp in others. Engines cannot mix the two types; `rows_in` reads them separately and returns instants in UTC.',
    { heading: 'DuckDB' },
    'Read in place, filter by partition, write the result elsewhere:',
    ...duckdbSnippets.map((text) => codeBlock('SQL', text)),
    { heading: 'pandas' },
    codeBlock('Python', `${pandasRowsIn}\nflow = rows_in("CACHE/metrics/dataset=flow", interval="1m")`),
    { heading: 'Polars' },
    codeBlock(
      'Python',
      `${polarsRowsIn(true)}
flow = (
    rows_in("CACHE/metrics/dataset=flow")
    .filter(pl.col("exchange") == "VENUE", pl.col("interval") == "1m")
    .collect()
)`,
    ),
    { heading: 'Spark' },
    'Copy the folder to storage that the cluster can read (a mounted bucket, NFS, HDFS). Spark discovers the partitions by itself.',
    codeBlock(
      'Python',
      `${sparkRowsIn}
flow = rows_in("CACHE/metrics/dataset=flow", "CACHE/metrics")
flow.where("exchange = 'VENUE' AND interval = '1m'").createOrReplaceTempView("flow")
spark.sql("SELECT symbol, count(*) FROM flow GROUP BY symbol").show()`,
    ),
    { heading: 'ClickHouse' },
    codeBlock(
      'SQL',
      `SELECT decodeURLComponent(symbol) AS name, count() AS rows, min(${clickHouseInstant('time')}) AS first
FROM file('CACHE/metrics/dataset=flow/**/*.parquet', 'Parquet', 'time String')
WHERE interval = '1m'
GROUP BY name
SETTINGS use_hive_partitioning = 1;`,
    ),
    'ClickHouse does not decode folder names; `decodeURLComponent` does. It also assumes that all files have the columns of the first one, unless you name the columns: add those that you need, such as `taker_buy_volume Nullable(Float64)`.',
    'Every snippet is tested on files that the app wrote: with DuckDB always, with the other engines where they are installed.',
    { heading: 'The same metrics on your engine' },
    'The definitions of the metrics are written once and translated to DuckDB, ClickHouse and Spark. `--print-sql` prints a complete script from raw events to Parquet in the layout of the cache; it computes nothing, and the same request prints the same text.',
    codeBlock(
      'Shell',
      'perpscope compute --dataset flow,slippage --exchange VENUE --symbol perpetual-BTC-USDT:USDT --interval 1m --timestamp exchange --start 2026-09-01 --end 2026-09-30 --raw /mnt/research/raw --out /mnt/research/metrics --engine spark --print-sql > job.sql',
    ),
    '`--submit "spark-sql --master …"` instead of `--print-sql` runs the script with your own command, shows its progress, and imports the files that it wrote. No shell runs the command: it is split at spaces, quotes keep words together, and `-f FILE` is added. It was tested with `spark-sql` 4.3 on a standalone cluster of one master and two workers, which shared a disk.',
    'Afterwards `perpscope import --computed /mnt/research/metrics` imports the files into the cache as one file per day, which names its engine. Every file is read completely first: if one is incomplete, missing or wrong, it is named and its series is not imported.',
    '`compute --engine duckdb` without `--print-sql` computes on this machine; the file names the engine, its version, the raw files and the SHA-256 of the SQL.',
    '`compute --engine clickhouse` computes on the server of the connection (Settings → Connections, or `perpscope connection add-engine`), in the window too: Raw events → Compute lists the instruments of the server, so that nothing needs to be downloaded.',
    '`perpscope reconcile --engines local,clickhouse --sample 20` with the selection of `compute` computes that many symbol-days on both and compares every column. A column with a relative difference above 1e-9 (1e-6 where large terms cancel) is named with its largest difference, and that engine is not used for its dataset until a comparison of the same day agrees. DuckDB is compared in the same way without a server; Spark is compared by the files that were imported from it.',
    'All 171 columns were compared with independent values on files of two days: with DuckDB, with ClickHouse and with Spark on one machine; Spark computed three datasets on its cluster, too. ClickHouse ran as servers of version 26.7, over HTTP: from files, from MergeTree tables, and from a bucket that the two servers of a cluster read together (`s3Cluster`); results stayed in the bucket or were stored in the cache, and login, quota, refusals and cancelling were tested there. For `s3://` addresses the server uses the key in its own configuration. Not tested: Amazon S3 itself, and Spark with `s3://` addresses, with tables, on YARN or Kubernetes, or on machines that share no disk.',
    { heading: 'When another engine is worth it' },
    'Measured once, in one run: nine trade datasets at 1m from a day of 20 million trades, each engine with its printed script and two cores that did other work too, so the times are processor time, not elapsed time. Other datasets and other data take different times; `npm run bench -- --peers engines` in the source measures them again.',
    {
      terms: [
        ['Built-in engine', '0.23 seconds of one core per million trades, 156 MB of memory.'],
        ['ClickHouse, embedded build', '4.4 seconds, 19 times as much; 4.6 GB.'],
        ['DuckDB', '7.7 seconds, 34 times as much; 8.1 GB.'],
        ['Spark on one machine', '22.6 seconds, 99 times as much; 4.9 GB (8 partitions, 8 GB for the driver).'],
      ],
    },
    'To match a laptop with eight cores, ClickHouse thus needs some 156 cores (five nodes of 32), and Spark some 800 (25 nodes). They pay off beyond that, or where the events are already on the cluster and would have to be copied. The following figures are calculated from these, with a million trades (7 MB) per symbol and day, and all cores in use.',
    {
      terms: [
        [
          '10 symbols × 30 days',
          '300 million trades, 2.2 GB: 68 s of one core, so 9 s on 8 cores. ClickHouse: 1,330 s, so 42 s on one node of 32 cores. Spark: 6,790 s, so 3.5 minutes on one.',
        ],
        [
          '100 symbols × 1 year',
          '36,500 million trades, 260 GB: 2.3 hours of one core, so 17 minutes on 8 cores. ClickHouse: 45 hours, so 84 minutes on one node of 32 cores and 21 on four. Spark: 230 hours, so 1.8 hours on four.',
        ],
        [
          '450 symbols × 6 years',
          '986,000 million trades, 7.1 TB: 62 hours of one core, so 7.8 hours on 8 cores. ClickHouse: 1,214 hours, so 38 hours on one node of 32 cores and 3.8 on ten. Spark: 6,200 hours, so 19 hours on ten.',
        ],
      ],
    },
    { heading: 'A copy elsewhere' },
    'A Hive export copies the cached files of the datasets you name to any folder, in the same layout and with the origin of every file; the folder may be on a mounted bucket or NFS. It appears only once it is complete.',
    codeBlock(
      'Shell',
      'perpscope export --dataset flow,ohlcv --exchange VENUE --interval 1m --format hive --out /mnt/research/flow',
    ),
    { heading: 'A store for the team' },
    'A connection may name a shared store: a folder (a mounted bucket or NFS) or a bucket of an S3-compatible service, in the layout of the cache. `fetch` and the queue look there before they ask the service. A file is compared by length and SHA-256 and validated before it is copied; a damaged one counts as absent. From a folder, files are copied offline too. The key of a bucket is kept in the keychain.',
    codeBlock(
      'Shell',
      `perpscope connection edit desk --store s3://research/perpscope --store-endpoint https://storage.example
perpscope key set desk --service store < store-key.txt
perpscope fetch --dataset flow --exchange VENUE --symbol perpetual-BTC-USDT:USDT --interval 1m --timestamp exchange --start 2026-09-01 --end 2026-09-30 --publish`,
    ),
    '`--publish` puts the files of the range into the store, and `export --format hive --out s3://BUCKET/PREFIX` those that are cached. File names contain the SHA-256 of the content, and every writer has its own list, which is written last, so that two can publish at once. Unfinished periods are left out. Check first that your licence allows others to use the data. If a store does not respond, Perpscope waits for half a minute, asks the service, and then waits longer each time before it tries the store again; “Test connection” in Settings shows what is wrong and ends the wait. Tested with a folder, with a mounted folder whose server hangs (FUSE), with a server that checks signatures as S3 does, and with moto (1,100 objects), including two simultaneous writers and writers that were killed; not tested with a real service.',
    { heading: 'Keeping it up to date' },
    'Run a nightly `perpscope fetch` on a small server whose data folder is on storage that the engines can read, and chart from your laptop through `perpscope serve` and an SSH tunnel: one cache, many readers.',
  ],
}
