import { symbolColumn, type TableColumn, type Tone } from '../../tables/columns.ts'
import type { Cell } from '../../tables/rows.ts'
import type { TabName } from './tabs.ts'

const tones: Record<string, Tone> = {
  running: 'accent',
  waiting: 'warning',
  paused: 'warning',
  done: 'positive',
  failed: 'negative',
}
const stateTone = (state: Cell): Tone => tones[String(state)] ?? 'neutral'

const fixed = { sortable: false } as const

const what: readonly TableColumn[] = [
  { ...fixed, key: 'dataset', title: 'Dataset', kind: 'text', widthPx: 116 },
  { ...fixed, key: 'exchange', title: 'Venue', kind: 'text', widthPx: 120 },
  { ...symbolColumn, ...fixed },
  { ...fixed, key: 'interval', title: 'Interval', kind: 'text', widthPx: 66 },
  {
    ...fixed,
    key: 'period',
    title: 'Period',
    kind: 'text',
    widthPx: 100,
    hint: 'The month or day that the file holds',
  },
]
const state: TableColumn = {
  ...fixed,
  key: 'state',
  title: 'State',
  kind: 'text',
  widthPx: 84,
  look: 'badge',
  tone: stateTone,
}
const reason: TableColumn = { ...fixed, key: 'reason', title: 'Why', kind: 'text', widthPx: 420 }
const size: TableColumn = { ...fixed, key: 'totalBytes', title: 'Size', kind: 'bytes', widthPx: 84 }
const endedAt: TableColumn = { ...fixed, key: 'endedAt', title: 'Ended', kind: 'time' }

/** In the order they run or ended: the core decides it, so no column sorts. */
export const downloadColumns: Record<TabName, readonly TableColumn[]> = {
  queue: [
    ...what,
    state,
    { ...fixed, key: 'doneBytes', title: 'Progress', kind: 'bytes', widthPx: 170 },
    {
      ...fixed,
      key: 'priority',
      title: 'Priority',
      kind: 'count',
      widthPx: 84,
      hint: 'Higher goes first; drag by the dots to change the order',
    },
    reason,
  ],
  history: [...what, state, size, { ...reason, key: 'outcome', title: 'Outcome', widthPx: 180 }, endedAt],
  failed: [...what, reason, { ...fixed, key: 'attempts', title: 'Attempts', kind: 'count', widthPx: 74 }, endedAt],
}
