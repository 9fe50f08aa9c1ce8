import type { SeriesOverview } from '#shared/contract/areas/series.ts'
import { cellOf, textColumn, timeColumn } from '#shared/contract/frame.ts'
import { EVENTS_COLUMN, knownDelayUs, ownNameOf } from '#shared/formula/ownData.ts'
import type { OpenTimeRange } from '#shared/time/ranges.ts'
import type { SeriesDeps } from './seriesDeps.ts'
import { describeFiles, describeUnread, findFiles, rowTaskOf, type SeriesName } from './seriesFiles.ts'

interface EventsRequest extends SeriesName, OpenTimeRange {
  asKnown?: boolean | undefined
  points: number
}

/** Characters of the text of a flag. */
const MOST_CHARACTERS = 200

/**
 * Reads the events of an own dataset beside an instrument: their times, and what each is labelled. Events that fall on
 * one of the requested points are one row, whose text says how many more there are.
 */
export async function eventOverview(
  deps: SeriesDeps,
  request: EventsRequest,
  signal: AbortSignal,
): Promise<SeriesOverview> {
  const { store, reader } = deps
  const name = ownNameOf(request.series.dataset)!
  const { record } = store.ownData.read(name)
  const delayMs = request.asKnown ? knownDelayUs(record) / 1000 : 0
  const labels = moved(request, -delayMs)
  const found = findFiles(store, request, labels)
  const columns = record.label === null ? [] : [record.label]
  const { frame, unread } = await reader.run('rows', { ...rowTaskOf(store, found), columns }, signal)
  const [times, label] = frame.columns
  const range = { startMs: found.range.startMs + delayMs, endMs: found.range.endMs + delayMs }
  const events = Array.from({ length: frame.rows }, (_, row) => ({
    timeMs: Number(times.values[row]) + delayMs,
    text: String((label && cellOf(label, row)) ?? '').slice(0, MOST_CHARACTERS) || name,
  }))
  const flags = gathered(events, (range.endMs - range.startMs) / request.points)
  return {
    points: {
      kind: 'rows',
      binMs: null,
      stepMs: null,
      frame: {
        rows: flags.length,
        columns: [
          timeColumn(
            'time',
            flags.map(({ timeMs }) => timeMs),
          ),
          textColumn(
            EVENTS_COLUMN,
            flags.map(({ text }) => text),
          ),
        ],
      },
    },
    range,
    absentColumns: [],
    ...describeFiles(deps, found),
    unread: describeUnread(deps, unread),
  }
}

const moved = ({ startMs, endMs }: OpenTimeRange, byMs: number): OpenTimeRange => ({
  startMs: startMs === null ? null : startMs + byMs,
  endMs: endMs === null ? null : endMs + byMs,
})

interface EventFlag {
  timeMs: number
  text: string
}

/** Joins events that are closer to the first of them than a step. */
function gathered(events: readonly EventFlag[], stepMs: number): EventFlag[] {
  const flags: (EventFlag & { more: number })[] = []
  for (const event of events) {
    const last = flags.at(-1)
    if (last && event.timeMs - last.timeMs < stepMs) last.more++
    else flags.push({ ...event, more: 0 })
  }
  return flags.map(({ timeMs, text, more }) => ({ timeMs, text: more > 0 ? `${text} (+${more})` : text }))
}
