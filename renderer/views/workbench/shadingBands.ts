import { columnOf, type Frame } from '#shared/contract/frame.ts'
import { MS_PER_DAY } from '#shared/time.ts'
import { formatNumber } from '#shared/units/numbers.ts'
import type { Band } from '../../charts/model.ts'

/** More different values than a person can tell apart by tint are no states but a measure: it is shown by its quarters. */
const MOST_STATES = 6
/** Places in the palette that stay clear of those that series get first. */
const FIRST_COLOUR = 3

/** Days of one state side by side become one stretch; a day without a value has none. */
export function shadingBands(rows: Frame, kind: 'regime' | 'overlay', name: string): Band[] {
  const time = columnOf(rows, 'time')
  const state = rows.columns.find((column) => column.kind === 'number')
  if (time?.kind !== 'time' || !state) return []
  const values = Array.from({ length: rows.rows }, (_, row) => {
    const value = state.values[row]
    const isThere = (!state.valid || state.valid[row] === 1) && typeof value === 'number' && Number.isFinite(value)
    return isThere ? value : null
  })
  const tellApart = classifier(values.filter((value) => value !== null))
  const bands: Band[] = []
  for (const [row, value] of values.entries()) {
    if (value === null) continue
    const startMs = time.values[row]
    const { place, message } = tellApart(value)
    const before = bands.at(-1)
    const label = `${name}: ${message}`
    if (before && before.endMs === startMs && before.label === label) before.endMs = startMs + MS_PER_DAY
    else {
      const stretch = { startMs, endMs: startMs + MS_PER_DAY, colour: FIRST_COLOUR + place }
      bands.push({ id: `${kind} ${startMs}`, kind, label, ...stretch })
    }
  }
  return bands
}

function classifier(values: readonly number[]): (value: number) => { place: number; message: string } {
  const sorted = [...new Set(values)].sort((a, b) => a - b)
  const plain = (value: number) => formatNumber(value, Number.isInteger(value) ? 0 : 3)
  if (sorted.length <= MOST_STATES) return (value) => ({ place: sorted.indexOf(value), message: plain(value) })
  const all = [...values].sort((a, b) => a - b)
  const edges = [0.25, 0.5, 0.75].map((share) => all[Math.floor((all.length - 1) * share)])
  const bounds = [all[0], ...edges, all[all.length - 1]]
  return (value) => {
    const found = edges.findIndex((edge) => value <= edge)
    const place = found < 0 ? edges.length : found
    return { place, message: `${plain(bounds[place])} to ${plain(bounds[place + 1])}` }
  }
}
