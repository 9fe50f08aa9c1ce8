import type { RouteLocationRaw } from 'vue-router'
import type { Instrument } from '../../stores/raw.ts'

/** A series that was computed here. */
export interface ComputedName {
  dataset: string
  interval: string
  timestamp: string
}

/** Builds the link to the workbench with the series marked as computed here. */
export function chartLink(
  { exchange, symbol }: Instrument,
  { dataset, interval, timestamp }: ComputedName,
): RouteLocationRaw {
  const shown = [{ dataset, exchange, symbol, interval, timestamp, origin: 'computed' }]
  return { path: '/workbench', query: { show: JSON.stringify(shown) } }
}

export const reconcileLink = (
  { exchange, symbol }: Instrument,
  { dataset, interval, timestamp }: ComputedName,
): RouteLocationRaw => ({ path: '/raw/reconcile', query: { exchange, symbol, metric: dataset, interval, timestamp } })
