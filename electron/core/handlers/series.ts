import { AppError } from '#shared/contract/errors.ts'
import type { CallsOf, Handlers } from '#core/handler.ts'
import type { SeriesDesk } from '#core/series/seriesDesk.ts'
import { type SeriesName, sourcesOf, wordsWithoutFolder } from '#core/series/seriesFiles.ts'
import type { Store } from '#core/store/store.ts'

interface NamedSeries extends Pick<SeriesName, 'timestamp'> {
  connectionId: string
  kind: 'metrics' | 'raw'
  dataset: string
  exchange: string
  symbol: string
  interval: string
}

export function seriesHandlers(desk: SeriesDesk, store: Store): Handlers<CallsOf<'series'>> {
  const nameOf = ({ connectionId, kind, dataset, exchange, symbol, interval, timestamp }: NamedSeries): SeriesName => ({
    series: {
      connectionId: connectionId || store.connections.active().id,
      kind,
      dataset,
      exchange,
      symbol,
      interval: kind === 'raw' ? '' : interval,
      timestamp: kind === 'raw' ? '' : timestamp,
    },
    timestamp,
  })
  const namesOf = <Input extends NamedSeries & { column: string }>(inputs: Record<string, Input>) =>
    Object.fromEntries(
      Object.entries(inputs).map(([name, input]) => [name, { ...nameOf(input), column: input.column }]),
    )

  return {
    'series.read': async (input, { signal }) => {
      refuseEmpty(input)
      const { frame, stretches, unread, ...answer } = await desk.read({ ...input, ...nameOf(input) }, signal)
      const { nextMs, duplicates, withoutTime, absentColumns, missing } = answer
      return {
        rows: frame,
        nextMs,
        duplicates,
        withoutTime,
        absentColumns,
        missing,
        unread: unread.map((each) => wordsWithoutFolder(store, each)),
        files: sourcesOf({ stretches }),
      }
    },
    'series.overview': (input, { signal }) => {
      refuseEmpty(input)
      return desk.overview({ ...input, ...nameOf(input) }, signal)
    },
    'series.evaluate': ({ inputs, ...question }, { signal }) => {
      refuseEmpty(question)
      return desk.evaluate({ ...question, inputs: namesOf(inputs) }, signal)
    },
    'series.statistics': ({ inputs, ...question }, { signal }) => {
      refuseEmpty(question)
      return desk.statistics({ ...question, inputs: namesOf(inputs) }, signal)
    },
    'series.scan': (input, { signal, progress }) => {
      refuseEmpty(input)
      const { series } = nameOf({ ...input, kind: 'metrics', symbol: '' })
      return desk.scan({ ...input, series }, signal, progress)
    },
  }
}

function refuseEmpty({ startMs, endMs }: { startMs: number | null; endMs: number | null }): void {
  if (startMs !== null && endMs !== null && endMs <= startMs)
    throw new AppError('bad-input', 'The range ends before it begins.')
}
