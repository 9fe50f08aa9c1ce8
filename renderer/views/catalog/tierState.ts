import type { RefusedDataset } from '#shared/contract/areas/coverage.ts'
import { dayOf } from '#shared/time.ts'
import { catalogText } from '../../text/catalog.ts'

/** State of a dataset, which says whether the connection's tier includes it, as far as this is known. */
export interface TierState {
  state: 'open' | 'locked' | 'refused' | 'unknown'
  label: string
  message: string
}

export function tierState(
  dataset: { id: string; minTier: number | null },
  tier: number | null,
  refusals: readonly RefusedDataset[],
): TierState {
  const refusal = refusals.find(
    (each) => each.kind === 'metrics' && each.dataset === dataset.id && each.interval === '',
  )
  const { tiers: text } = catalogText
  if (refusal) {
    const { label, message } = text.refused
    return { state: 'refused', label, message: message(dayOf(refusal.at), refusal.message ?? '') }
  }
  const { minTier } = dataset
  if (minTier === null) return { state: 'unknown', ...text.undocumented }
  if (tier === null) return { state: 'unknown', label: text.unset.label(minTier), message: text.unset.message(minTier) }
  const message = text.needed(minTier, tier)
  return tier >= minTier
    ? { state: 'open', label: text.open, message }
    : { state: 'locked', label: text.locked(minTier), message }
}
