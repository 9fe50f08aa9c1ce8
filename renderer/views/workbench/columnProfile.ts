import type { TableColumn } from '#shared/sheet/columns.ts'
import { numberColumn, textColumn, type Frame } from '#shared/contract/frame.ts'
import { numberFormat } from '#shared/units/numberKinds.ts'
import { viewStatistics, type ViewStatistics } from '../../charts/statistics.ts'
import { workbenchText } from '../../text/workbench.ts'

const { profileColumns: text } = workbenchText.data

const ALL_TIME = { startMs: -Infinity, endMs: Infinity }
/** Lets the window repaint between columns. */
const pause = () => new Promise<void>((resolve) => setTimeout(resolve))

/**
 * Computes a profile with one row per column of numbers; the column `key` contains their names. `stepOf` returns the
 * interval of a column; null for events.
 */
export async function columnProfile(
  frame: Frame,
  titles: ReadonlyMap<string, string>,
  stepOf: (column: string) => number | null,
  signal: AbortSignal,
): Promise<Frame> {
  const time = frame.columns.find(({ kind }) => kind === 'time')
  const times = time?.kind === 'time' ? time.values : Float64Array.from({ length: frame.rows }, (_, row) => row)
  const keys: string[] = []
  const statistics: ViewStatistics[] = []
  for (const column of frame.columns) {
    if (column.kind !== 'number') continue
    await pause()
    signal.throwIfAborted()
    keys.push(column.name)
    statistics.push(
      viewStatistics({ times, values: column.values, valid: column.valid }, ALL_TIME, stepOf(column.name)),
    )
  }
  const numbers = (name: string, read: (one: ViewStatistics) => number | null) =>
    numberColumn(name, statistics.map(read))
  return {
    rows: keys.length,
    columns: [
      textColumn('key', keys),
      textColumn(
        'column',
        keys.map((key) => titles.get(key) ?? key),
      ),
      numbers('rows', ({ rows }) => rows),
      numbers('missing', ({ missing }) => missing),
      numbers('min', ({ min }) => min),
      numbers('p5', ({ quantiles }) => quantiles[0]),
      numbers('median', ({ quantiles }) => quantiles[2]),
      numbers('mean', ({ mean }) => mean),
      numbers('p95', ({ quantiles }) => quantiles[4]),
      numbers('max', ({ max }) => max),
      numbers('deviation', ({ deviation }) => deviation),
      numbers('autocorrelation', ({ autocorrelation }) => autocorrelation),
    ],
  }
}

const formatStatistic = numberFormat('statistic')
/** Formats a value with the digits that suit its own magnitude, because the rows measure different things. */
const formatByMagnitude = (value: number | string) => (typeof value === 'number' ? formatStatistic(value) : value)

const figureColumn = (key: string, title: string): TableColumn => ({
  key,
  title,
  kind: 'statistic',
  format: formatByMagnitude,
})

export const profileColumns: readonly TableColumn[] = [
  { key: 'column', title: text.column, kind: 'text', widthPx: 210 },
  { key: 'rows', title: text.rows, kind: 'count' },
  { key: 'missing', title: text.missing, kind: 'count' },
  figureColumn('min', text.min),
  figureColumn('p5', text.p5),
  figureColumn('median', text.median),
  figureColumn('mean', text.mean),
  figureColumn('p95', text.p95),
  figureColumn('max', text.max),
  figureColumn('deviation', text.deviation),
  figureColumn('autocorrelation', text.autocorrelation),
]
