import { AppError } from '#shared/contract/errors.ts'
import type { ParquetFile, ParquetRowGroup } from './parquetFile.ts'
import { readNumbers } from './readColumn.ts'

/** What was found out about columns, by the row groups of an opened file, which a remembered footer keeps. */
const verdicts = new WeakMap<readonly ParquetRowGroup[], Map<number, boolean>>()

/**
 * Tells whether all values of a column lie within the bounds that its row groups state. The first question reads the
 * whole column; a reader asks it before it leaves row groups out because of their bounds.
 */
export function hasTrueBounds(file: ParquetFile, index: number): boolean {
  const known = verdicts.get(file.rowGroups) ?? new Map<number, boolean>()
  verdicts.set(file.rowGroups, known)
  const verdict = known.get(index) ?? areValuesWithin(file, index)
  known.set(index, verdict)
  return verdict
}

function areValuesWithin(file: ParquetFile, index: number): boolean {
  const values = new Float64Array(Math.max(0, ...file.rowGroups.map(({ rows }) => rows)))
  try {
    for (const { startRow, rows } of file.rowGroups)
      readNumbers(file, file.columns[index].name, { from: startRow, to: startRow + rows }, { values, at: 0 })
    return true
  } catch (thrown) {
    if (thrown instanceof AppError && thrown.code === 'corrupt-file') return false
    throw thrown
  }
}
