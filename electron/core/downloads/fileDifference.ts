import { ParquetFile } from '#core/parquet/parquetFile.ts'
import { readNumbers, readTimesUs } from '#core/parquet/readColumn.ts'
import { exactTime } from '#shared/units/instants.ts'
import { exactNumber } from '#shared/units/numbers.ts'
import { plainPlural } from '#shared/units/plurals.ts'

interface NumberRows {
  times: Float64Array
  columns: Map<string, Float64Array>
}

/** Says where the numbers of a metric file differ from those of the one that it replaces; null if they are the same. */
export function fileDifference(beforePath: string, afterPath: string): string | null {
  const [before, after] = [readRows(beforePath), readRows(afterPath)]
  const rowAt = new Map(Array.from(before.times, (timeUs, row) => [timeUs, row]))
  const shared = [...after.columns.keys()].filter((name) => before.columns.has(name))
  let [added, changed] = [0, 0]
  let first = ''
  after.times.forEach((timeUs, row) => {
    const old = rowAt.get(timeUs)
    rowAt.delete(timeUs)
    if (old === undefined) return void added++
    const column = shared.find((name) => !isSame(before.columns.get(name)![old], after.columns.get(name)![row]))
    if (column === undefined) return
    changed++
    first ||= `${exactTime(timeUs / 1000, 'utc')}, ${column}: ${valueText(after.columns.get(column)![row])} in place of ${valueText(before.columns.get(column)![old])}`
  })
  const otherColumns = [
    ...[...after.columns.keys()].filter((name) => !before.columns.has(name)).map((name) => `${name} is new`),
    ...[...before.columns.keys()].filter((name) => !after.columns.has(name)).map((name) => `${name} is gone`),
  ]
  const parts = [
    ...(changed > 0 ? [`${plainPlural(changed, 'row')} with other values, the first at ${first}`] : []),
    ...(added > 0 ? [`${plainPlural(added, 'row')} more`] : []),
    ...(rowAt.size > 0 ? [`${plainPlural(rowAt.size, 'row')} fewer`] : []),
    ...otherColumns.map((text) => `column ${text}`),
  ]
  return parts.length > 0 ? parts.join('; ') : null
}

const isSame = (a: number, b: number) => a === b || (Number.isNaN(a) && Number.isNaN(b))
const valueText = (value: number) => (Number.isNaN(value) ? 'no value' : exactNumber(value))

function readRows(path: string): NumberRows {
  using file = new ParquetFile(path, { remember: false })
  const range = { from: 0, to: file.rows }
  const times = new Float64Array(file.rows)
  const target = { values: times, at: 0 }
  // Other writers may store times as plain numbers of milliseconds.
  if (file.columns[file.indexOf('time')].timestampUnit) readTimesUs(file, 'time', range, target)
  else {
    readNumbers(file, 'time', range, target)
    for (let row = 0; row < times.length; row++) times[row] *= 1000
  }
  const columns = new Map<string, Float64Array>()
  for (const { name, type } of file.columns) {
    if (name === 'time' || type === 'text') continue
    const values = new Float64Array(file.rows)
    readNumbers(file, name, range, { values, at: 0 })
    columns.set(name, values)
  }
  return { times, columns }
}
