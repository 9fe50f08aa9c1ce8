import type { Refused } from '#shared/contract/areas/coverage.ts'
import { dayOf } from '#shared/time.ts'

/** State of a dataset's tier: whether the key opens it, as far as that is known without trying. */
export interface TierState {
  state: 'open' | 'locked' | 'refused' | 'unknown'
  label: string
  message: string
}

export function tierState(
  dataset: { id: string; minTier: number | null },
  tier: number | null,
  refusals: readonly Refused[],
): TierState {
  const refused = refusals.find((each) => each.dataset === dataset.id && each.interval === '')
  if (refused) {
    const said = refused.message ? ` The service: “${refused.message}”` : ''
    return {
      state: 'refused',
      label: 'Refused',
      message: `The service refused it on ${dayOf(refused.at)}.${said}`,
    }
  }
  const { minTier } = dataset
  if (minTier === null)
    return { state: 'unknown', label: 'Tier ?', message: 'The documents do not say which tier opens it.' }
  if (tier === null) {
    return {
      state: 'unknown',
      label: `Tier ${minTier}`,
      message: `Needs tier ${minTier}. The tier of this connection is not set: Settings → Connections.`,
    }
  }
  return tier >= minTier
    ? { state: 'open', label: 'Open', message: `Needs tier ${minTier}; this connection has tier ${tier}.` }
    : {
        state: 'locked',
        label: `Locked · ${minTier}`,
        message: `Needs tier ${minTier}; this connection has tier ${tier}.`,
      }
}
