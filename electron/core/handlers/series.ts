/** Handles the calls on series: rows, overviews, statistics, relationships, scans and exports. */
import type { Publisher } from '#core/sharedStore/publisher.ts'
import type { SeriesKey } from '#shared/catalog/seriesKey.ts'
import type { OpenTimeRange } from '#shared/time/ranges.ts'
import { connectionOfOwner, resolveOwner } from '#shared/contract/computedOwner.ts'
import { AppError } from '#shared/contract/errors.ts'
import { exportHive, hiveFiles } from '#core/export/exportHive.ts'
import { exportSeries } from '#core/export/exportSeries.ts'
import { snippetsFor } from '#core/export/seriesSnippets.ts'
import type { CallsOf, Handlers } from '#core/handler.ts'
import type { Clock } from '#core/ports.ts'
import type { SeriesService } from '#core/series/seriesService.ts'
import { type SeriesName, sourcesOf, messageWithoutFolder } from '#core/series/seriesFiles.ts'
import { withPairs } from '#core/store/listStore.ts'
import type { Store } from '#core/store/store.ts'

interface NamedSeries extends SeriesKey {
  connectionId: string
  timestamp: SeriesName['timestamp']
}

export interface SeriesHandlerDeps {
  service: SeriesService
  store: Store
  clock: Clock
  version: string
  publisher: Publisher
}

export function seriesHandlers({
  service,
  store,
  clock,
  version,
  publisher,
}: SeriesHandlerDeps): Handlers<CallsOf<'series'>> {
  const ownerOf = (owner: string) => resolveOwner(owner, () => store.connections.active().id)
  const nameOf = ({ connectionId, kind, dataset, exchange, symbol, interval, timestamp }: NamedSeries): SeriesName => ({
    series: {
      connectionId: ownerOf(connectionId),
      kind,
      dataset,
      exchange,
      symbol,
      interval: kind === 'raw' ? '' : interval,
      timestamp: kind === 'raw' ? '' : timestamp,
    },
    timestamp,
  })
  const namesOf = <Input extends NamedSeries & { column: string; atLabel?: boolean | undefined }>(
    inputs: Record<string, Input>,
  ) =>
    Object.fromEntries(
      Object.entries(inputs).map(([name, input]) => {
        const { column, atLabel } = input
        return [name, { ...nameOf(input), column, atLabel }]
      }),
    )

  return {
    'series.read': async (input, { signal }) => {
      refuseEmpty(input)
      const { frame, slices, unread, ...answer } = await service.read({ ...input, ...nameOf(input) }, signal)
      const { nextMs, duplicates, withoutTime, absentColumns, missing } = answer
      return {
        rows: frame,
        nextMs,
        duplicates,
        withoutTime,
        absentColumns,
        missing,
        unread: unread.map((each) => messageWithoutFolder(store, each)),
        files: sourcesOf({ slicesToRead: slices }),
      }
    },
    'series.overview': (input, { signal }) => {
      refuseEmpty(input)
      return service.overview({ ...input, ...nameOf(input) }, signal)
    },
    'series.evaluate': ({ inputs, ...request }, { signal, progress }) => {
      refuseEmpty(request)
      return service.evaluate({ ...request, inputs: namesOf(inputs) }, signal, progress)
    },
    'series.statistics': ({ inputs, ...request }, { signal }) => {
      refuseEmpty(request)
      return service.statistics({ ...request, inputs: namesOf(inputs) }, signal)
    },
    'series.distribution': ({ inputs, ...request }, { signal }) => {
      refuseEmpty(request)
      return service.distribution({ ...request, inputs: namesOf(inputs) }, signal)
    },
    'series.relationships': ({ inputs, ...request }, { signal }) => {
      refuseEmpty(request)
      const { x, y, formulas } = request
      if (x >= formulas.length || y >= formulas.length)
        throw new AppError('bad-input', 'x and y must be indices of formulas in the list.')
      return service.relationships({ ...request, inputs: namesOf(inputs) }, signal)
    },
    'series.scan': (input, { signal, progress }) => {
      refuseEmpty(input)
      const { series } = nameOf({ ...input, kind: 'metrics', symbol: '' })
      return service.scan({ ...input, series }, signal, progress)
    },
    'series.export': ({ series, formulas, ...request }, { signal, progress, host }) => {
      refuseEmpty(request)
      const namedSeries = series.map((one) => ({ ...nameOf(one), columns: one.columns }))
      const computed = formulas.map((one) => ({ ...one, inputs: namesOf(one.inputs) }))
      const context = { save: host.save, signal, progress, version }
      return exportSeries(service.deps, { ...request, series: namedSeries, formulas: computed }, context)
    },
    'series.exportHive': ({ connectionId, ...request }, { signal, progress, host }) => {
      refuseEmpty(request)
      const wanted = { ...withPairs(store.lists, request), connectionId: ownerOf(connectionId) }
      return exportHive({ store, version, nowMs: clock.nowMs() }, wanted, { signal, progress, host })
    },
    'series.publishHive': async (
      { connectionId, store: place, storeEndpoint, storePlainHttp, ...request },
      context,
    ) => {
      refuseEmpty(request)
      const owner = ownerOf(connectionId)
      const files = hiveFiles(store, { ...withPairs(store.lists, request), connectionId: owner })
      const target = { store: place, storeEndpoint, storePlainHttp }
      return { ...(await publisher.toPlace(connectionOfOwner(owner), target, files, context)), store: place }
    },
    'series.snippets': ({ columns, startMs, endMs, variable, ...input }) =>
      snippetsFor(store, { ...nameOf(input), columns, startMs, endMs, variable }),
  }
}

function refuseEmpty({ startMs, endMs }: OpenTimeRange): void {
  if (startMs !== null && endMs !== null && endMs <= startMs)
    throw new AppError('bad-input', 'The range ends before it begins.')
}
