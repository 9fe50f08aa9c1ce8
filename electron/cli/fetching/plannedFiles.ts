import type { SeriesKey } from '#shared/catalog/seriesKey.ts'
import { cellOf, columnOf, type Frame } from '#shared/contract/frame.ts'

export interface PlannedFileIdentity extends Omit<SeriesKey, 'kind'> {
  period: string
}

export interface PlannedDownload extends PlannedFileIdentity {
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
  const textReader = (name: string) => {
    const readCell = columnReader(name)
    return (row: number) => String(readCell(row) ?? '')
  }
  const [readDataset, readExchange, readSymbol] = ['dataset', 'exchange', 'symbol'].map(textReader)
  const [readInterval, readTimestamp] = ['interval', 'timestamp'].map(textReader)
  const [readPeriod, readState] = ['period', 'state'].map(textReader)
  const [readPath, readBytes, readFetch] = ['path', 'bytes', 'fetch'].map(columnReader)
  return Array.from({ length: frame.rows }, (_, row) => ({
    dataset: readDataset(row),
    exchange: readExchange(row),
    symbol: readSymbol(row),
    interval: readInterval(row),
    timestamp: readTimestamp(row),
    period: readPeriod(row),
    state: readState(row),
    path: readPath(row) === null ? null : String(readPath(row)),
    bytes: readBytes(row) === null ? null : Number(readBytes(row)),
    fetch: readFetch(row) === 1,
  }))
}
