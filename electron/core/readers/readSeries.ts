import { toAppError } from '#shared/contract/errors.ts'
import { ParquetFile } from './parquetFile.ts'
import { selectRows, type RowSelection } from './rowSelection.ts'
import { kindOf, SeriesColumn, type ColumnKind } from './seriesColumn.ts'
import type { SeriesRows, SeriesTask, UnreadStretch } from './seriesTask.ts'

interface Part {
  stretch: SeriesTask['stretches'][number]
  selection: RowSelection
  /** Row of the frame that its first one goes to. */
  at: number
}

/** Reads columns of a series over many files. A file that cannot be read is named and leaves a gap. */
export function readSeries({ stretches, columns: names, timeColumn, keepEqualTimes }: SeriesTask): SeriesRows {
  const unread: UnreadStretch[] = []
  const kinds = new Map<string, ColumnKind>()
  const parts: Part[] = []
  let rows = 0
  for (const stretch of stretches) {
    attempt(stretch, unread, () => {
      using file = new ParquetFile(stretch.path)
      const selection = selectRows(file, timeColumn, stretch, keepEqualTimes)
      for (const column of file.columns) {
        if (!kinds.has(column.name)) kinds.set(column.name, kindOf(column))
      }
      parts.push({ stretch, selection, at: rows })
      rows += selection.times.length
    })
  }

  const times = new Float64Array(rows)
  for (const { selection, at } of parts) times.set(selection.times, at)
  const columns = names.map((name) => new SeriesColumn(name, kinds.get(name) ?? 'number', rows))
  for (const part of parts) fillPart(part, columns, unread)

  return {
    frame: {
      rows,
      columns: [
        { name: 'time', kind: 'time', values: times, valid: null },
        ...columns.map((column) => column.finish()),
      ],
    },
    duplicates: parts.reduce((sum, { selection }) => sum + selection.duplicates, 0),
    withoutTime: parts.reduce((sum, { selection }) => sum + selection.withoutTime, 0),
    unread,
  }
}

function fillPart({ stretch, selection, at }: Part, columns: readonly SeriesColumn[], unread: UnreadStretch[]): void {
  const rows = selection.times.length
  if (rows === 0) return
  let isOpen = false
  attempt(stretch, unread, () => {
    using file = new ParquetFile(stretch.path)
    isOpen = true
    for (const column of columns) {
      const index = file.indexOf(column.name)
      const isThere = index >= 0 && kindOf(file.columns[index]) === column.kind
      if (!isThere) column.miss(at, rows)
      if (index >= 0 && !isThere) {
        const message = `${stretch.path}: column ${column.name} is of another type here than in earlier files.`
        unread.push({ ...stretch, message })
      }
      if (isThere && !attempt(stretch, unread, () => column.fill(file, selection, at))) column.miss(at, rows)
    }
  })
  if (!isOpen) for (const column of columns) column.miss(at, rows)
}

/** @returns whether it worked; what went wrong is noted, once for the same words */
function attempt(stretch: SeriesTask['stretches'][number], unread: UnreadStretch[], read: () => void): boolean {
  try {
    read()
    return true
  } catch (thrown) {
    const message = toAppError(thrown).detail ?? `${stretch.path} cannot be read.`
    if (!unread.some((other) => other.message === message && other.startMs === stretch.startMs))
      unread.push({ ...stretch, message })
    return false
  }
}
