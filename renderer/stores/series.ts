import { defineStore } from 'pinia'
import type { CallInput } from '#shared/contract/calls.ts'
import type { CallOptions } from '#shared/contract/client.ts'
import { useHost } from './host.ts'

/** Rows, overviews and statistics of series, as the core computes them. */
export const useSeries = defineStore('series', () => {
  const host = useHost()
  return {
    overview: (input: CallInput<'series.overview'>, signal: AbortSignal) =>
      host.call('series.overview', input, { signal }),
    evaluate: (
      input: CallInput<'series.evaluate'>,
      signal: AbortSignal,
      onProgress: NonNullable<CallOptions['onProgress']> = () => {},
    ) => host.call('series.evaluate', input, { signal, onProgress }),
    statistics: (input: CallInput<'series.statistics'>, signal: AbortSignal) =>
      host.call('series.statistics', input, { signal }),
    distribution: (input: CallInput<'series.distribution'>, signal: AbortSignal) =>
      host.call('series.distribution', input, { signal }),
    relationships: (input: CallInput<'series.relationships'>, signal: AbortSignal) =>
      host.call('series.relationships', input, { signal }),
    scan: (input: CallInput<'series.scan'>, options: CallOptions) => host.call('series.scan', input, options),
    exportRows: (input: CallInput<'series.export'>) => host.call('series.export', input),
    exportHive: (input: CallInput<'series.exportHive'>) => host.call('series.exportHive', input),
    snippets: (input: CallInput<'series.snippets'>) => host.call('series.snippets', input),
    read: (input: CallInput<'series.read'>, signal: AbortSignal) => host.call('series.read', input, { signal }),
  }
})
