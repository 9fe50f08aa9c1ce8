import type { Database as SqliteDatabase } from 'better-sqlite3'

/** When the first version of each file of a series came; packed, because there may be millions of files. */
export interface BackupArrivals {
  /** Kind, dataset, exchange, symbol, interval and timestamp. */
  series: string[]
  /** Of each file: first day and day after the last as 32-bit numbers, arrival as a 64-bit one; NaN if not known. */
  base64: string
}

const SERIES_COLUMNS = 'kind, dataset, exchange, symbol, interval, timestamp'
const SERIES_NAMES = 6
const FILE_BYTES = 16

type ArrivalRow = [seriesId: number, startDay: number, endDay: number, arrivedAtMs: number | null]

export function readArrivals(database: SqliteDatabase): BackupArrivals[] {
  const series = database.prepare(`SELECT id, ${SERIES_COLUMNS} FROM arrival_series ORDER BY id`).raw().all()
  const files = database
    .prepare(
      'SELECT start_day, end_day, arrived_at_ms FROM first_arrivals WHERE series_id = ? ORDER BY start_day, end_day',
    )
    .raw()
  return (series as [number, ...string[]][]).map(([id, ...names]) => ({
    series: names,
    base64: packFiles(files.all(id) as [number, number, number | null][]),
  }))
}

function packFiles(files: readonly [number, number, number | null][]): string {
  const bytes = Buffer.alloc(files.length * FILE_BYTES)
  files.forEach(([startDay, endDay, arrivedAtMs], at) => {
    bytes.writeInt32LE(startDay, at * FILE_BYTES)
    bytes.writeInt32LE(endDay, at * FILE_BYTES + 4)
    bytes.writeDoubleLE(arrivedAtMs ?? NaN, at * FILE_BYTES + 8)
  })
  return bytes.toString('base64')
}

export const areArrivals = (value: unknown): value is BackupArrivals[] =>
  Array.isArray(value) &&
  value.every(
    ({ series, base64 }: BackupArrivals) =>
      Array.isArray(series) &&
      series.length === SERIES_NAMES &&
      series.every((name) => typeof name === 'string') &&
      typeof base64 === 'string' &&
      Buffer.byteLength(base64, 'base64') % FILE_BYTES === 0,
  )

/** Inserts the arrivals of a backup into a new index, which has none yet. */
export function fillArrivals(database: SqliteDatabase, arrivals: readonly BackupArrivals[]): void {
  const insertSeries = database.prepare(
    `INSERT INTO arrival_series (${SERIES_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING RETURNING id`,
  )
  const insertFile = database.prepare('INSERT OR IGNORE INTO first_arrivals VALUES (?, ?, ?, ?)')
  database.transaction(() => {
    for (const { series, base64 } of arrivals) {
      const id = insertSeries.pluck().get(...series) as number | undefined
      if (id !== undefined) for (const row of filesOf(id, base64)) insertFile.run(...row)
    }
  })()
}

function filesOf(id: number, base64: string): ArrivalRow[] {
  const bytes = Buffer.from(base64, 'base64')
  return Array.from({ length: bytes.length / FILE_BYTES }, (_, at) => {
    const arrivedAtMs = bytes.readDoubleLE(at * FILE_BYTES + 8)
    const days = [bytes.readInt32LE(at * FILE_BYTES), bytes.readInt32LE(at * FILE_BYTES + 4)] as const
    // The index keeps whole milliseconds.
    return [id, ...days, Number.isSafeInteger(arrivedAtMs) ? arrivedAtMs : null]
  })
}
