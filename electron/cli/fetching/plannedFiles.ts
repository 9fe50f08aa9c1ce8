import type { SeriesKey } from '#shared/catalog/seriesKey.ts'
import { cellOf, columnOf, type Frame } from '#shared/contract/frame.ts'

export interface FileIdentity extends Omit<SeriesKey, 'kind'> {
  period: string
}

export interface PlannedDownload extends FileIdentity {
  state: string
  path: string | null
  bytes: number | null
  /** True if the file will be downloaded. */
  fetch: boolean
}

export function plannedFiles(frame: Frame): PlannedDownload[] {
  const columnReader = (name: string) => {
    const column = columnOf(frame, name)
    return (row: number) => (column ? cellOf(column, row) : null)
  }
  const text = (name: string) => {
    const read = columnReader(name)
    return (row: number) => String(read(row) ?? '')
  }
  const [dataset, exchange, symbol] = [text('dataset'), text('exchange'), text('symbol')]
  const [interval, timestamp, period, state] = [text('interval'), text('timestamp'), text('period'), text('state')]
  const [path, bytes, wanted] = [columnReader('path'), columnReader('bytes'), columnReader('fetch')]
  return Array.from({ length: frame.rows }, (_, row) => ({
    dataset: dataset(row),
    exchange: exchange(row),
    symbol: symbol(row),
    interval: interval(row),
    timestamp: timestamp(row),
    period: period(row),
    state: state(row),
    path: path(row) === null ? null : String(path(row)),
    bytes: bytes(row) === null ? null : Number(bytes(row)),
    fetch: wanted(row) === 1,
  }))
}
