import { copyFileSync, mkdirSync, readFileSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { run } from '../../../electron/cli/run.ts'
import { readTable } from '../../conformance/compareMetrics.ts'
import { computedFolder, hoursFrom, partColumns, writePart } from '../../fakes/computedParts.ts'
import { dataFolder } from '../../fakes/dataFolder.ts'
import { temporaryFolder } from '../../fakes/temporaryFolder.ts'

function openWorld() {
  const [out, dataDir] = [temporaryFolder(), dataFolder()]
  async function perpscope(...args: string[]) {
    let stdout = ''
    let stderr = ''
    const status = await run([...args, '--data-dir', dataDir, '--json'], {
      stdout: { write: (text) => (stdout += text) },
      stderr: { write: (text) => (stderr += text) },
      env: {},
      signal: new AbortController().signal,
    })
    const records = stdout
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Record<string, never>)
    return { status, stderr, records }
  }
  const importAll = async (folder = out) => perpscope('import', '--computed', folder)
  const listed = async () => (await perpscope('ls')).records
  return { out, perpscope, importAll, listed }
}

const part = (number: number) => `${computedFolder}/part-0000${number}-5a.c000.snappy.parquet`

describe('perpscope import --computed', () => {
  it('merges the parts of a series into one computed file a day, which names its engine', async () => {
    const { out, importAll, listed } = openWorld()
    writePart(out, part(0), partColumns(hoursFrom('2026-09-01T05:00Z', 30)))
    writePart(out, part(1), partColumns(hoursFrom('2026-09-02T11:00Z', 20)))
    writeFileSync(join(out, computedFolder, '_SUCCESS'), '')
    writeFileSync(join(out, computedFolder, '.part-00000.crc'), 'crc')
    const { status, records, stderr } = await importAll()
    expect({ status, stderr: stderr.includes('Failed') }).toEqual({ status: 0, stderr: false })
    expect(records).toMatchObject([
      {
        dataset: 'vtwap',
        symbol: 'perpetual-BTC-USDT:USDT',
        interval: '1h',
        period: '2026-09-01',
        state: 'imported',
        rows: 19,
        files: [part(0)],
        error: null,
      },
      { period: '2026-09-02', state: 'imported', rows: 24, files: [part(0), part(1)] },
      { period: '2026-09-03', state: 'imported', rows: 7 },
      { summary: { imported: 3, cached: 0, failed: 0 } },
    ])
    const files = await listed()
    const origin = { engine: 'spark', version: '4.3.0', sqlSha256: null, source: [] }
    expect(files.map(({ period, origin, computedBy }) => ({ period, origin, computedBy }))).toEqual(
      ['2026-09-01', '2026-09-02', '2026-09-03'].map((period) => ({ period, origin: 'computed', computedBy: origin })),
    )
    const { time, columns } = readTable(files[1].path)
    expect([...time]).toEqual(hoursFrom('2026-09-02', 24))
    const values = [...columns.values()][0]
    expect(values[23]).toBe(time[23] / 3_600_000)
    expect(values[22]).toBe(time[22] / 3_600_000)
    // The value at 14:00, row 3 of the second part, is null.
    expect(values[14]).toBeNaN()
    expect(readFileSync(files[0].path, 'latin1')).toContain('{"engine":"spark","version":"4.3.0"')
    expect((await importAll()).records.at(-1)).toEqual({ summary: { imported: 0, cached: 3, failed: 0, bytes: 0 } })
  })

  it('says where computed files are read, instead of that the cache lacks them', async () => {
    const { out, perpscope, importAll } = openWorld()
    writePart(out, part(0), partColumns(hoursFrom('2026-09-01', 24)))
    await importAll()
    const place = ['--exchange', 'venuea-futures', '--symbol', 'perpetual-BTC-USDT:USDT', '--timestamp', 'exchange']
    const query = ['--dataset', 'vtwap', ...place, '--start', '2026-09-01', '--end', '2026-09-01']
    for (const command of [['read'], ['export', '--format', 'csv', '--out', join(out, 'vtwap.csv')]]) {
      const { status, stderr } = await perpscope(...command, ...query, '--interval', '1h')
      expect([command[0], status, stderr]).toEqual([
        command[0],
        1,
        expect.stringContaining("use “perpscope sql” with metrics.vtwap and origin = 'computed'"),
      ])
    }
    expect((await perpscope('read', ...query, '--interval', '5m')).stderr).not.toContain('perpscope sql')
  })

  it('puts rows in order that a job dealt out over its parts', async () => {
    const { out, importAll, listed } = openWorld()
    const times = hoursFrom('2026-09-01', 24)
    for (const number of [0, 1, 2])
      writePart(out, part(number), partColumns(times.filter((_, row) => row % 3 === number)))
    expect((await importAll()).status).toBe(0)
    expect([...readTable((await listed())[0].path).time]).toEqual(times)
  })

  it('accepts the day files of ClickHouse, whose days begin and end with their events', async () => {
    const { out, importAll } = openWorld()
    writePart(out, `${computedFolder}/2026-09-01.parquet`, partColumns(hoursFrom('2026-09-01T02:00Z', 20)), [])
    writePart(out, `${computedFolder}/2026-09-02.parquet`, partColumns(hoursFrom('2026-09-02T01:00Z', 3)), [])
    expect((await importAll()).records.map(({ state, rows }) => [state, rows]).slice(0, 2)).toEqual([
      ['imported', 20],
      ['imported', 3],
    ])
  })

  it.each([
    ['ClickHouse version 26.9.2 (build bb1)', { engine: 'clickhouse', version: '26.9.2' }],
    ['ClickHouse v24.8.1', { engine: 'clickhouse', version: '24.8.1' }],
    ['DuckDB version v2.0.1 (build abc)', { engine: 'duckdb', version: '2.0.1' }],
    ['parquet-mr version 1.16.0', { engine: 'spark', version: null }],
    ['something else', { engine: 'unknown', version: null }],
  ])('names the engine of a file that “%s” wrote', async (createdBy, origin) => {
    const { out, importAll, listed } = openWorld()
    writePart(out, part(0), partColumns(hoursFrom('2026-09-01', 24)), [], createdBy)
    expect((await importAll()).status).toBe(0)
    expect((await listed())[0].computedBy).toEqual({ ...origin, sqlSha256: null, source: [] })
  })

  it.each([
    ['encoded once', 'perpetual-%E9%BE%99-USDT%3AUSDT'],
    ['encoded twice', 'perpetual-%25E9%25BE%2599-USDT%253AUSDT'],
    ['as letters of Latin 1', `perpetual-${Buffer.from('龙').toString('latin1')}-USDT%3AUSDT`],
    ['as letters of Windows-1252', 'perpetual-é¾™-USDT%3AUSDT'],
    [
      'as encoded letters of Latin 1',
      `perpetual-${encodeURIComponent(Buffer.from('龙').toString('latin1'))}-USDT%3AUSDT`,
    ],
    ['as it is', 'perpetual-龙-USDT:USDT'],
  ])('reads the name of a symbol %s', async (_how, symbol) => {
    const { out, importAll } = openWorld()
    const folder = computedFolder.replace(/symbol=[^/]*/, `symbol=${symbol}`)
    writePart(out, `${folder}/part-0.parquet`, partColumns(hoursFrom('2026-09-01', 24)))
    expect((await importAll()).records[0]).toMatchObject({ symbol: 'perpetual-龙-USDT:USDT', state: 'imported' })
  })

  it('reads a folder inside of the layout, whose place says what it is', async () => {
    const { out, importAll } = openWorld()
    writePart(out, part(0), partColumns(hoursFrom('2026-09-01', 24)))
    expect((await importAll(join(out, computedFolder.split('/exchange')[0]))).records[0]).toMatchObject({
      state: 'imported',
    })
  })

  it('imports the series that are whole, and names the file of the one that is not', async () => {
    const { out, importAll, listed } = openWorld()
    writePart(out, part(0), partColumns(hoursFrom('2026-09-01', 24)))
    const other = part(0).replace('vtwap', 'flow')
    truncateSync(writePart(out, other, partColumns(hoursFrom('2026-09-01', 24), 'flow')), 500)
    const { status, records, stderr } = await importAll()
    expect(status).toBe(3)
    expect(records).toMatchObject([
      { dataset: 'flow', files: [other], period: null, state: 'failed', path: null },
      { dataset: 'vtwap', state: 'imported' },
      { summary: { imported: 1, failed: 1 } },
    ])
    expect(stderr).toContain(`${join(out, other)}: the file is cut off: its end is missing.`)
    expect(await listed()).toHaveLength(1)
  })

  type Break = (out: string) => void
  const day = () => partColumns(hoursFrom('2026-09-01', 24))
  const wrong: [what: string, make: Break, file: string, reason: string][] = [
    [
      'an empty file',
      (out) => {
        writePart(out, part(0), day())
        writeFileSync(join(out, part(1)), '')
      },
      part(1),
      'the file is empty',
    ],
    [
      'a file that is no Parquet',
      (out) => {
        writePart(out, part(0), day())
        writeFileSync(join(out, part(1)), 'time,price\n1,2\n3,4\n')
      },
      part(1),
      'this is not a Parquet file',
    ],
    [
      'a part that is still being written',
      (out) => {
        writePart(out, part(0), day())
        writeFileSync(join(out, `${part(1)}.inprogress`), 'PAR1')
      },
      `${part(1)}.inprogress`,
      'the file is incomplete',
    ],
    [
      'a job that is not done',
      (out) => {
        writePart(out, part(0), day())
        mkdirSync(join(out, computedFolder, '_temporary/0'), { recursive: true })
      },
      `${computedFolder}/_temporary`,
      'a job is still writing here, or ended early',
    ],
    [
      'a job above that is not done',
      (out) => {
        writePart(out, part(0), day())
        mkdirSync(join(out, '.spark-staging-7'))
      },
      '.spark-staging-7',
      'a job is still writing here, or ended early',
    ],
    [
      'a link',
      (out) => {
        const path = writePart(out, part(0), day())
        symlinkSync(path, join(out, part(1)))
      },
      part(1),
      'it is a link, a pipe or a device, not a file',
    ],
    [
      'a missing column',
      (out) => void writePart(out, part(0), day().slice(0, -1)),
      part(0),
      'column “twap” of vtwap is missing',
    ],
    [
      'a column too many',
      (out) =>
        void writePart(out, part(0), [
          ...day(),
          { name: 'symbol', type: 'STRING', data: hoursFrom('2026-09-01', 24).map(() => 'x') },
        ]),
      part(0),
      'column “symbol” is not one of vtwap',
    ],
    [
      'a time of another type',
      (out) =>
        void writePart(out, part(0), [
          { name: 'time', type: 'TIMESTAMP', data: hoursFrom('2026-09-01', 24).map((ms) => new Date(ms)) },
          ...day().slice(1),
        ]),
      part(0),
      'column “time” is TIMESTAMP in ms, not INT64 milliseconds',
    ],
    [
      'values of another type',
      (out) =>
        void writePart(out, part(0), [
          ...day().slice(0, -1),
          { ...day().at(-1)!, type: 'INT64', data: hoursFrom('2026-09-01', 24).map(BigInt) },
        ]),
      part(0),
      'is INT64, not DOUBLE',
    ],
    [
      'times in seconds',
      (out) => void writePart(out, part(0), partColumns(hoursFrom('2026-09-01', 24).map((ms) => ms / 1000))),
      part(0),
      'is not in this century: times are milliseconds since 1970',
    ],
    [
      'times of another grid',
      (out) => void writePart(out, part(0), partColumns(hoursFrom('2026-09-01T00:30Z', 24))),
      part(0),
      'the time 2026-09-01T00:30Z is not the start of an interval',
    ],
    [
      'a time twice in a file',
      (out) =>
        void writePart(
          out,
          part(0),
          partColumns([...hoursFrom('2026-09-01', 3), ...hoursFrom('2026-09-01T02:00Z', 3)]),
        ),
      part(0),
      'the time 2026-09-01T02:00Z appears twice',
    ],
    [
      'rows out of order',
      (out) =>
        void writePart(
          out,
          part(0),
          partColumns([...hoursFrom('2026-09-01T05:00Z', 3), ...hoursFrom('2026-09-01', 3)]),
        ),
      part(0),
      'the time 2026-09-01T00:00Z comes after a later one',
    ],
    [
      'a time in two files',
      (out) => {
        writePart(out, part(0), day())
        writePart(out, part(1), partColumns(hoursFrom('2026-09-01T23:00Z', 3)))
      },
      part(1),
      'the time 2026-09-01T23:00Z appears twice, also in',
    ],
    [
      'the same file twice',
      (out) => {
        const path = writePart(out, part(0), day())
        copyFileSync(path, join(out, part(1)))
      },
      part(1),
      'the time 2026-09-01T00:00Z appears twice, also in',
    ],
    [
      'a part that is missing',
      (out) => {
        writePart(out, part(0), partColumns(hoursFrom('2026-09-01', 10)))
        writePart(out, part(2), partColumns(hoursFrom('2026-09-02T03:00Z', 10)))
      },
      part(2),
      'the rows from 2026-09-01T10:00Z to 2026-09-02T03:00Z are in no file: a file is missing or incomplete',
    ],
    [
      'a row that is missing',
      (out) => void writePart(out, part(0), partColumns(hoursFrom('2026-09-01', 24).filter((_, row) => row !== 4))),
      part(0),
      'the rows from 2026-09-01T04:00Z to 2026-09-01T05:00Z are in no file',
    ],
    [
      'a row without a time',
      (out) =>
        void writePart(out, part(0), [
          { name: 'time', type: 'INT64', nullable: true, data: [...hoursFrom('2026-09-01', 23).map(BigInt), null] },
          ...day().slice(1),
        ]),
      part(0),
      'a row has no time',
    ],
    [
      'an infinite value',
      (out) =>
        void writePart(out, part(0), [
          ...day().slice(0, -1),
          { ...day().at(-1)!, data: [...hoursFrom('2026-09-01', 23), Infinity] },
        ]),
      part(0),
      'holds an infinite value',
    ],
    [
      'NaN instead of null',
      (out) =>
        void writePart(out, part(0), [
          ...day().slice(0, -1),
          { ...day().at(-1)!, data: [...hoursFrom('2026-09-01', 23), NaN] },
        ]),
      part(0),
      'holds NaN where a missing value is null',
    ],
    ['no rows', (out) => void writePart(out, part(0), partColumns([])), part(0), 'it has no rows'],
    [
      'a folder of no dataset',
      (out) => void writePart(out, part(0).replace('vtwap', 'vwap'), day()),
      part(0).replace('vtwap', 'vwap'),
      '“vwap” is not a metric dataset',
    ],
    [
      'a venue whose letters were lost',
      (out) => void writePart(out, part(0).replace('venuea-futures', 'm??n'), day()),
      part(0).replace('venuea-futures', 'm??n'),
      'is not the name of a venue',
    ],
    [
      'a symbol whose letters were lost',
      (out) => void writePart(out, part(0).replace('BTC', '???'), day()),
      part(0).replace('BTC', '???'),
      'is not the name of a symbol',
    ],
    [
      'an interval that is none',
      (out) => void writePart(out, part(0).replace('1h', '7h'), day()),
      part(0).replace('1h', '7h'),
      '“7h” does not divide a day',
    ],
    [
      'a folder without a clock',
      (out) => void writePart(out, part(0).replace('/timestamp=exchange', ''), day()),
      part(0).replace('/timestamp=exchange', ''),
      'no folder above it is named timestamp=…',
    ],
  ]
  it.each(wrong)(
    'refuses %s with a sentence that names it, and takes nothing of its series',
    async (_what, make, file, reason) => {
      const { out, importAll, listed } = openWorld()
      make(out)
      const { status, stderr, records } = await importAll()
      expect(status).toBe(1)
      expect(stderr).toContain(`${join(out, file)}: `)
      expect(stderr).toContain(reason)
      expect(records.filter(({ state }) => state === 'failed')).toMatchObject([{ files: [file], period: null }])
      expect(await listed()).toEqual([])
    },
  )

  it('says what it looked for in a folder without such files', async () => {
    const { out, importAll } = openWorld()
    const { status, stderr } = await importAll()
    expect(status).toBe(1)
    expect(stderr).toContain(`${out} has no Parquet file below dataset=…/exchange=…/symbol=…/interval=…/timestamp=….`)
    expect((await importAll(join(out, 'gone'))).status).toBe(1)
  })

  it('accepts no other arguments beside the folder, and needs a folder or files', async () => {
    const { out, perpscope } = openWorld()
    expect((await perpscope('import', '--computed', out, 'x.parquet')).status).toBe(2)
    expect((await perpscope('import', '--computed', out, '--dataset', 'trades')).status).toBe(2)
    expect((await perpscope('import')).status).toBe(2)
  })
})
