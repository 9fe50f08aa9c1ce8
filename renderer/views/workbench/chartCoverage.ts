import type { CoverageRange } from '#shared/contract/areas/series.ts'
import type { TimeRange } from '#shared/time/ranges.ts'
import type { Band, CoveragePart } from '../../charts/model.ts'
import type { LoadedSeries } from './seriesData.ts'
import { workbenchText } from '../../text/workbench.ts'

const { chart: text } = workbenchText

/** Lists the coverage of one series; within the range of its detailed points, their coverage takes precedence. */
function coverageOf({ whole, detail }: LoadedSeries): CoverageRange[] {
  if (!detail) return [...(whole?.coverage ?? [])]
  const outside = (whole?.coverage ?? []).flatMap((range) => partsOutside(range, detail))
  return [...outside, ...detail.coverage].sort((a, b) => a.startMs - b.startMs)
}

function partsOutside(range: CoverageRange, { startMs, endMs }: TimeRange): CoverageRange[] {
  const parts = [
    { ...range, endMs: Math.min(range.endMs, startMs) },
    { ...range, startMs: Math.max(range.startMs, endMs) },
  ]
  return parts.filter((part) => part.startMs < part.endMs)
}

/** Coverage states from weakest to strongest: over several series, available for download outweighs cached. */
const statesFromWeakest: readonly CoveragePart['state'][] = ['absent', 'cached', 'available']

/** Merges the coverage of all series into ranges that do not overlap, each with the strongest state in it. */
export function coverageOfAll(all: readonly LoadedSeries[], within: TimeRange): CoveragePart[] {
  const ranges = all.flatMap(coverageOf)
  const edges = new Set<number>([within.startMs, within.endMs])
  for (const { startMs, endMs } of ranges)
    for (const edge of [startMs, endMs]) if (edge > within.startMs && edge < within.endMs) edges.add(edge)
  const sortedEdges = [...edges].sort((a, b) => a - b)
  const parts: CoveragePart[] = []
  for (let at = 1; at < sortedEdges.length; at += 1) {
    const [startMs, endMs] = [sortedEdges[at - 1], sortedEdges[at]]
    const overlapping = ranges.filter((one) => one.startMs < endMs && one.endMs > startMs)
    if (overlapping.length === 0) continue
    const state = statesFromWeakest[Math.max(...overlapping.map((one) => statesFromWeakest.indexOf(one.state)))]
    const before = parts.at(-1)
    if (before?.state === state && before.endMs === startMs) before.endMs = endMs
    else parts.push({ startMs, endMs, state })
  }
  return parts
}

/** Tells whether a part of a range is yet to come from the download queue. */
export const isQueuedIn = ({ coverage }: { coverage: readonly CoverageRange[] }, within: TimeRange): boolean =>
  coverage.some(({ isQueued, startMs, endMs }) => isQueued && startMs < within.endMs && endMs > within.startMs)

/** Builds the shaded ranges of a pane in which data of a series is not downloaded or cannot be read. */
export function missingBands(
  paneId: string,
  series: readonly { label: string; loaded: LoadedSeries }[],
  within: TimeRange,
): Band[] {
  const missing = series.flatMap(({ label, loaded }) =>
    coverageOf(loaded)
      .filter(({ state, startMs, endMs }) => state === 'available' && startMs < within.endMs && endMs > within.startMs)
      .map(({ startMs, endMs, isLocked, isQueued }) => ({
        ...{ startMs, endMs, isQueued },
        message: isLocked ? text.locked(label) : label,
      })),
  )
  const unread = series.flatMap(({ label, loaded: { whole, detail } }) =>
    (detail?.unread ?? whole?.unread ?? []).map(({ startMs, endMs, message }) => ({
      startMs,
      endMs,
      message: text.unreadable(label, message),
    })),
  )
  return [
    ...mergedRanges(missing.filter(({ isQueued }) => !isQueued)).map(({ startMs, endMs, message }) =>
      createBand(paneId, startMs, endMs, text.notDownloaded(message)),
    ),
    ...mergedRanges(missing.filter(({ isQueued }) => isQueued)).map(({ startMs, endMs, message }) => ({
      ...createBand(paneId, startMs, endMs, text.queued(message)),
      isQueued: true,
    })),
    ...mergedRanges(unread).map(({ startMs, endMs, message }) => ({
      ...createBand(paneId, startMs, endMs, message),
      isUnreadable: true,
    })),
  ].map((one) => ({
    ...one,
    startMs: Math.max(one.startMs, within.startMs),
    endMs: Math.min(one.endMs, within.endMs),
  }))
}

const createBand = (paneId: string, startMs: number, endMs: number, label: string): Band => ({
  id: `${paneId} ${startMs} ${label}`,
  kind: 'missing',
  label,
  paneId,
  startMs,
  endMs,
  colour: 0,
})

interface RangeWithMessage extends TimeRange {
  message: string
}

/** Merges ranges that touch or overlap. */
function mergedRanges(ranges: readonly RangeWithMessage[]): RangeWithMessage[] {
  const all: RangeWithMessage[] = []
  for (const one of ranges.toSorted((a, b) => a.startMs - b.startMs)) {
    const before = all.at(-1)
    if (!before || one.startMs > before.endMs) {
      all.push({ ...one })
      continue
    }
    before.endMs = Math.max(before.endMs, one.endMs)
    if (!before.message.split('; ').includes(one.message)) before.message += `; ${one.message}`
  }
  return all
}
