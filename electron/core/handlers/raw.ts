import { Readable } from 'node:stream'
import { engineNames, type Reconciliation } from '#shared/contract/areas/raw.ts'
import type { ParsedInput } from '#shared/contract/calls.ts'
import { AppError } from '#shared/contract/errors.ts'
import { csvLine } from '#shared/units/csvCell.ts'
import { createClickHouse } from '#core/clients/clickhouse.ts'
import type { HttpClient } from '#core/clients/http.ts'
import type { Connections } from '#core/connections/connections.ts'
import type { WindowHost } from '#core/ports.ts'
import type { EventBus } from '#core/eventBus.ts'
import { datasetChecks, refuseDifferingDatasets } from '#core/engines/engineChecks.ts'
import type { CallsOf, Handlers } from '#core/handler.ts'
import { computedSeries } from '#core/raw/computedSeries.ts'
import { checkInterval, computeIntoCache, type ComputingDeps } from '#core/raw/computing.ts'
import { guessMetricFiles, importMetrics, type MetricImportRequest } from '#core/raw/importMetrics.ts'
import type { Imports } from '#core/raw/imports.ts'
import type { RawEventService } from '#core/raw/rawEventService.ts'
import { reconcile } from '#core/raw/reconcile.ts'
import type { SeriesService } from '#core/series/seriesService.ts'

export interface RawHandlerDeps extends ComputingDeps {
  imports: Imports
  rawEvents: RawEventService
  series: SeriesService
  bus: EventBus
  http: HttpClient
  connections: Pick<Connections, 'engineAccess'>
}

export function rawHandlers(deps: RawHandlerDeps): Handlers<CallsOf<'raw'>> {
  const { imports, rawEvents, series, store, bus, http, connections } = deps
  const withOwner = <Input extends { connectionId: string }>(input: Input): Input => ({
    ...input,
    connectionId: input.connectionId || store.connections.active().id,
  })
  function metricRequest(input: ParsedInput<'raw.importMetrics'>, host: WindowHost): MetricImportRequest {
    if (host.kind === 'browser')
      throw new AppError('unsupported', 'A page in a browser cannot name folders of this machine.')
    const { connectionId, folder, dataset, exchange, symbol, interval, timestamp } = withOwner(input)
    const given = {
      ...(dataset !== undefined && { dataset }),
      ...(exchange !== undefined && { exchange }),
      ...(symbol !== undefined && { symbol }),
      ...(interval !== undefined && { interval }),
      ...(timestamp !== undefined && { timestamp }),
    }
    return { connectionId, folder, given }
  }
  return {
    'raw.inspect': (input, { signal, progress }) => {
      const { connectionId, ...given } = withOwner(input)
      return imports.inspect(connectionId, given, { signal, onProgress: progress })
    },
    'raw.importReceived': (input, { signal, progress }) => {
      const { connectionId, ...given } = withOwner(input)
      return imports.importReceived(connectionId, given, { signal, onProgress: progress })
    },
    'raw.import': async (input, { signal, progress }) => ({
      files: await imports.run(withOwner(input).connectionId, input.files, { signal, onProgress: progress }),
    }),
    'raw.metricFiles': async (input, { signal, host }) => {
      const { files, others } = await guessMetricFiles(deps, metricRequest(input, host), signal)
      return { files: files.map(({ found: _found, ...guess }) => guess), others }
    },
    'raw.importMetrics': async (input, { signal, progress, host }) => {
      const answer = await importMetrics(deps, metricRequest(input, host), { signal, progress })
      if (answer.files.some(({ state }) => state === 'imported')) bus.emit('cache.changed', {})
      return answer
    },
    'raw.dismiss': ({ ids }) => {
      imports.dismiss(ids)
      return null
    },
    'raw.files': (input) => ({ files: rawEvents.files(withOwner(input)) }),
    'raw.computed': (input) => ({ series: computedSeries(store, withOwner(input)) }),
    'raw.rows': async ({ offset, limit, ...selection }, { signal }) => {
      const { frame, count, total } = await rawEvents.rows(withOwner(selection), offset, limit, signal)
      return { rows: frame, count, total }
    },
    'raw.seek': async ({ timestamp, timeMs, ...selection }, { signal }) => ({
      row: await rawEvents.seek(withOwner(selection), timestamp, timeMs, signal),
    }),
    'raw.latency': ({ period, ...named }, { signal }) => rawEvents.latency(withOwner(named), period, signal),
    'raw.conditions': async (selection, { signal, progress }) => ({
      files: await rawEvents.conditions(withOwner(selection), { signal, onProgress: progress }),
    }),
    'raw.compute': async (request, { signal, progress }) => {
      if (request.endDay <= request.startDay) throw new AppError('bad-input', 'The range ends before it begins.')
      try {
        return await computeIntoCache(deps, withOwner(request), { signal, onProgress: progress })
      } finally {
        bus.emit('cache.changed', {})
      }
    },
    'raw.computeOnEngine': async (request, { signal, progress }) => {
      if (request.endDay <= request.startDay) throw new AppError('bad-input', 'The range ends before it begins.')
      checkInterval(request.interval)
      const ownedRequest = withOwner(request)
      refuseDifferingDatasets(store.engines.checks.list(ownedRequest.connectionId, 'clickhouse'), ownedRequest.datasets)
      const server = await connections.engineAccess(ownedRequest.connectionId)
      const { computeOnClickHouse } = await import('#core/engines/clickhouseCompute.ts')
      const engineDeps = { ...deps, engine: createClickHouse(http, server), cluster: server.cluster }
      try {
        return await computeOnClickHouse(engineDeps, ownedRequest, { signal, onProgress: progress })
      } finally {
        bus.emit('cache.changed', {})
      }
    },
    'raw.engineInstruments': async (input, { signal }) => {
      const server = await connections.engineAccess(withOwner(input).connectionId)
      const { engineInstruments } = await import('#core/engines/engineInstruments.ts')
      return engineInstruments(createClickHouse(http, server), input.raw, signal)
    },
    'raw.reconcileEngines': async (input, { signal, progress }) => {
      const { engines, ...request } = withOwner(input)
      if (request.endDay <= request.startDay) throw new AppError('bad-input', 'The range ends before it begins.')
      checkInterval(request.interval)
      const reachClickHouse = async () => {
        const server = await connections.engineAccess(request.connectionId)
        return { engine: createClickHouse(http, server), cluster: server.cluster }
      }
      const { reconcileEngines } = await import('#core/engines/compareEngines.ts')
      return reconcileEngines({ ...deps, reachClickHouse }, engines, request, { signal, onProgress: progress })
    },
    'raw.engineChecks': (input) => {
      const { connectionId } = withOwner(input)
      const checks = engineNames.flatMap((engine) => store.engines.checks.list(connectionId, engine))
      return { checks: datasetChecks(checks) }
    },
    'raw.reconcile': (request, { signal, progress }) =>
      reconcile(series, store.venues.of(withOwner(request).connectionId), withOwner(request), {
        signal,
        onProgress: progress,
      }),
    'raw.exportReconciliation': async ({ format, ...request }, { signal, progress, host }) => {
      const report = await reconcile(series, store.venues.of(withOwner(request).connectionId), withOwner(request), {
        signal,
        onProgress: progress,
      })
      const name = `reconciliation-${request.dataset}-${request.interval}.${format}`
      const type = format === 'csv' ? 'text/csv' : 'application/json'
      const lines =
        format === 'csv' ? reconciliationCsv(report) : [`${JSON.stringify({ ...request, ...report }, null, 2)}\n`]
      return host.save({ name, type }, () => Readable.from(lines))
    },
  }
}

/** Writes the comparison of computed with downloaded values as CSV, one line per column. */
export function* reconciliationCsv({ columns }: Reconciliation): Generator<string> {
  const names = [
    'name',
    'rows',
    'agree',
    'bothMissing',
    'onlyComputed',
    'onlyServed',
    'largestRelative',
    'largest',
    'largestAt',
    'computedThere',
    'servedThere',
  ] as const
  yield csvLine([...names])
  for (const column of columns) {
    const largestAt = column.largestAtMs === null ? null : new Date(column.largestAtMs).toISOString()
    yield csvLine(names.map((name) => (name === 'largestAt' ? largestAt : column[name])))
  }
}
