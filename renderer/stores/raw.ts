import { defineStore } from 'pinia'
import { computed, shallowRef, watch } from 'vue'
import type { VenueSymbol } from '#shared/catalog/resolveSymbol.ts'
import type { CallInput } from '#shared/contract/calls.ts'
import type { EngineInstruments, RawFileEntry } from '#shared/contract/areas/raw.ts'
import { cellOf, columnOf, type Frame } from '#shared/contract/frame.ts'
import type { CallOptions } from '#shared/contract/client.ts'
import { useConnections } from './connections.ts'
import { useHost } from './host.ts'
import { createResource } from './resource.ts'

/** Cached raw events of the active connection, and the actions on them. */
export const useRaw = defineStore('raw', () => {
  const host = useHost()
  const connections = useConnections()

  const series = createResource<Frame>((_query, signal) => host.call('coverage.cachedSeries', {}, { signal }))
  const files = createResource<RawFileEntry[], VenueSymbol>(
    async (instrument, signal) => (await host.call('raw.files', instrument, { signal })).files,
  )
  const instruments = computed(() => rawInstruments(series.value.value))

  /** Instruments for which the ClickHouse server has events; null until they have been listed. */
  const serverInstruments = shallowRef<EngineInstruments | null>(null)

  watch(
    () => connections.active?.id,
    () => {
      for (const each of [series, files]) each.forget()
      serverInstruments.value = null
    },
  )

  return {
    series,
    files,
    instruments,
    inspect: (options: CallOptions) => host.call('raw.inspect', {}, options),
    importFiles: (wanted: CallInput<'raw.import'>['files'], options: CallOptions) =>
      host.call('raw.import', { files: wanted }, options),
    dismiss: (ids?: string[]) => host.call('raw.dismiss', ids ? { ids } : {}),
    rows: (input: CallInput<'raw.rows'>, signal: AbortSignal) => host.call('raw.rows', input, { signal }),
    seek: (input: CallInput<'raw.seek'>) => host.call('raw.seek', input),
    latency: (input: CallInput<'raw.latency'>, options: CallOptions) => host.call('raw.latency', input, options),
    conditions: (input: CallInput<'raw.conditions'>, options: CallOptions) =>
      host.call('raw.conditions', input, options),
    computed: async (instrument: VenueSymbol, signal?: AbortSignal) =>
      (await host.call('raw.computed', instrument, signal ? { signal } : {})).series,
    compute: (input: CallInput<'raw.compute'>, options: CallOptions) => host.call('raw.compute', input, options),
    computeOnEngine: (input: CallInput<'raw.computeOnEngine'>, options: CallOptions) =>
      host.call('raw.computeOnEngine', input, options),
    reconcileEngines: (input: CallInput<'raw.reconcileEngines'>, options: CallOptions) =>
      host.call('raw.reconcileEngines', input, options),
    serverInstruments,
    engineInstruments: (input: CallInput<'raw.engineInstruments'>, options: CallOptions) =>
      host.call('raw.engineInstruments', input, options),
    engineChecks: async () => (await host.call('raw.engineChecks', {})).checks,
    reconcile: (input: CallInput<'raw.reconcile'>, options: CallOptions) => host.call('raw.reconcile', input, options),
    exportReconciliation: (input: CallInput<'raw.exportReconciliation'>) =>
      host.call('raw.exportReconciliation', input),
    events: (input: CallInput<'series.read'>, options: CallOptions) => host.call('series.read', input, options),
    evaluate: (input: CallInput<'series.evaluate'>, options: CallOptions) =>
      host.call('series.evaluate', input, options),
  }
})

function rawInstruments(frame: Frame | null): VenueSymbol[] {
  if (!frame) return []
  const textAt = (name: string, row: number) => String(cellOf(columnOf(frame, name)!, row))
  const instrumentByKey = new Map<string, VenueSymbol>()
  for (let row = 0; row < frame.rows; row += 1) {
    if (textAt('kind', row) !== 'raw') continue
    const instrument = { exchange: textAt('exchange', row), symbol: textAt('symbol', row) }
    instrumentByKey.set(`${instrument.exchange} ${instrument.symbol}`, instrument)
  }
  return [...instrumentByKey.values()]
}
