import { type RawDatasetId, rawDatasets } from '#shared/catalog/rawDatasets.ts'
import { decodeSymbol } from '#shared/catalog/symbols.ts'
import type { EngineInstruments } from '#shared/contract/areas/raw.ts'
import { AppError } from '#shared/contract/errors.ts'
import type { RawPlace } from '#shared/engines/script.ts'
import { clickHouseFiles } from '#shared/engines/dialects/sources.ts'
import { periodDays } from '#shared/time/periods.ts'
import type { ClickHouse } from '#core/clients/clickhouse.ts'

/** Maximum number of listed instruments, many times the number on any venue. */
const MOST_INSTRUMENTS = 20_000
const US_PER_DAY = 86_400_000_000

type Instrument = EngineInstruments['instruments'][number]

/** Lists the instruments whose events a ClickHouse server has, with their first and last days. */
export async function engineInstruments(
  engine: ClickHouse,
  raw: RawPlace,
  signal: AbortSignal,
): Promise<EngineInstruments> {
  const found =
    raw.kind === 'folder'
      ? await folderInstruments(engine, raw.address, signal)
      : await tableInstruments(engine, raw.name, signal)
  if (found.length === 0) throw new AppError('not-found', 'ClickHouse finds no raw events there.')
  const instruments = mergeInstruments(found)
  return { instruments: instruments.slice(0, MOST_INSTRUMENTS), isCut: instruments.length > MOST_INSTRUMENTS }
}

/**
 * Lists the instruments of a folder. The names of its files are days or months, so the smallest and the largest name
 * give the range.
 */
async function folderInstruments(engine: ClickHouse, address: string, signal: AbortSignal): Promise<Instrument[]> {
  const filesFunction = clickHouseFiles([`${address}/dataset=*/exchange=*/symbol=*/*.parquet`], 'One')
  const partitionSql = (name: string) => `extract(_path, '/${name}=([^/]+)/')`
  const dayExpression = "extract(_file, '^([0-9]{4}-[0-9]{2}(-[0-9]{2})?)[.]parquet$')"
  const columns = [
    `${partitionSql('dataset')} AS dataset`,
    `${partitionSql('exchange')} AS exchange`,
    `${partitionSql('symbol')} AS symbol`,
  ]
  const sql =
    `SELECT ${columns.join(', ')}, min(day), max(day) FROM (SELECT DISTINCT _path, ${dayExpression} AS day FROM ${filesFunction}) ` +
    `WHERE day != '' GROUP BY dataset, exchange, symbol`
  const rows = await engine.rows(sql, signal)
  return rows.flatMap(([dataset, exchange, folder, firstPeriod, lastPeriod]) => {
    const symbol = decodeSymbol(folder)
    const [start, end] = [periodDays(firstPeriod), periodDays(lastPeriod)]
    if (!isRaw(dataset) || symbol === null || !start || !end) return []
    return [{ exchange, symbol, datasets: [dataset], startDay: start.start, endDay: end.end }]
  })
}

const isRaw = (dataset: string): dataset is RawDatasetId => rawDatasets.some(({ id }) => id === dataset)

/** Queries the tables one after the other; a database need not have all of them. */
async function tableInstruments(engine: ClickHouse, database: string, signal: AbortSignal): Promise<Instrument[]> {
  const found: Instrument[] = []
  let missingError: AppError | null = null
  for (const { id } of rawDatasets) {
    const micros = (aggregate: string) =>
      `toUnixTimestamp64Micro(toDateTime64(${aggregate}(exchange_timestamp), 6, 'UTC'))`
    const sql = `SELECT exchange, symbol, ${micros('min')}, ${micros('max')} FROM ${database}.${id} GROUP BY exchange, symbol`
    try {
      for (const [exchange, symbol, firstUs, lastUs] of await engine.rows(sql, signal)) {
        const [startDay, lastDay] = [firstUs, lastUs].map((us) => Math.floor(Number(us) / US_PER_DAY))
        if (Number.isInteger(startDay) && Number.isInteger(lastDay))
          found.push({ exchange, symbol, datasets: [id], startDay, endDay: lastDay + 1 })
      }
    } catch (thrown) {
      if (!(thrown instanceof AppError) || thrown.code !== 'not-found') throw thrown
      missingError ??= thrown
    }
  }
  if (found.length === 0 && missingError) throw missingError
  return found
}

/** Merges the datasets of each instrument, ordered by venue and symbol. */
function mergeInstruments(found: readonly Instrument[]): Instrument[] {
  const groups = Map.groupBy(found, ({ exchange, symbol }) => `${exchange} ${symbol}`)
  return [...groups]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([, group]) => ({
      exchange: group[0].exchange,
      symbol: group[0].symbol,
      datasets: group.flatMap(({ datasets }) => datasets),
      startDay: Math.min(...group.map(({ startDay }) => startDay)),
      endDay: Math.max(...group.map(({ endDay }) => endDay)),
    }))
}
