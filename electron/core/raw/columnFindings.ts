import { rawColumns, rawDataset, type RawColumn, type RawDatasetId } from '#shared/catalog/rawDatasets.ts'
import type { FileFinding } from '#shared/contract/areas/raw.ts'
import type { ParquetColumn } from '#core/readers/parquetFile.ts'

export type FileColumn = Pick<ParquetColumn, 'name' | 'type' | 'timestampUnit'>

/** What is not as the catalog says about the columns of a file, whatever its venue. */
export function columnFindings(dataset: RawDatasetId, columns: readonly FileColumn[]): FileFinding[] {
  const findings: FileFinding[] = []
  for (const wanted of rawDataset(dataset).columns) {
    const column = columns.find(({ name }) => name === wanted.name)
    if (column) findings.push(...typeFindings(wanted, column))
    else findings.push(found('error', `Column ${wanted.name} is missing.`))
  }
  const known = new Set(rawColumns(dataset, 'venuec-perps').map(({ name }) => name))
  const others = columns.map(({ name }) => name).filter((name) => !known.has(name))
  if (others.length > 0) {
    const message = others.slice(0, 5).join(', ').slice(0, 200)
    findings.push(found('note', `Not in the catalog, and kept: ${message}${others.length > 5 ? ' …' : ''}.`))
  }
  return findings
}

const found = (level: FileFinding['level'], message: string): FileFinding => ({ level, message })

function typeFindings({ name, type }: RawColumn, column: FileColumn): FileFinding[] {
  const is = `Column ${name} is ${typeWords(column)}`
  if (type === 'timestamp') {
    if (column.timestampUnit === null) return [found('error', `${is}, not a timestamp.`)]
    return column.timestampUnit === 'us'
      ? []
      : [found('note', `Column ${name} is in ${column.timestampUnit}, not microseconds.`)]
  }
  const isNumber = column.timestampUnit === null && column.type !== 'text' && column.type !== 'boolean'
  if (type === 'float64') {
    if (column.type === 'double') return []
    return [found(isNumber ? 'note' : 'error', `${is}, not ${isNumber ? 'double' : 'numbers'}.`)]
  }
  if (column.type === 'text') return []
  return [found(isNumber && name === 'id' ? 'note' : 'error', `${is}, not text.`)]
}

function typeWords({ type, timestampUnit }: FileColumn): string {
  if (timestampUnit !== null) return 'a timestamp'
  return type === 'other' ? 'of an unusual type' : type
}
