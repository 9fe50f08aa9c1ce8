import { computed, watch } from 'vue'
import type { IdKind } from '#shared/catalog/portfolioEndpoints.ts'
import { useConnections } from '../stores/connections.ts'
import { useHost } from '../stores/host.ts'
import { createResource } from '../stores/resource.ts'

// The sandbox's identifiers are listed here, because the service has no request that lists them.
const factors = [
  'momentum',
  'momentum_long',
  'mean_reversion',
  'trend',
  'carry',
  'volatility',
  'skewness',
  'flow_size',
  'volume_trend',
  'oi_divergence',
]
const multiFactorNames = ['multi_core', 'multi_trend_carry', 'multi_defensive']
const singleFactorNames = factors.flatMap((id) => [`${id}_ls`, `${id}_lo`])
const sizes = ['20', '30', '40']

const portfolios = [
  ...singleFactorNames.flatMap((name) => [...sizes, 'full'].map((size) => `${name}.${size}`)),
  ...multiFactorNames.flatMap((name) => sizes.map((size) => `${name}.${size}`)),
]

export const sandboxIds: Readonly<Record<Exclude<IdKind, 'ticker'>, readonly string[]>> = {
  portfolio: portfolios,
  factor: factors,
  overlay: ['vol_target', 'trend_guard', 'drawdown_control'],
  regime: ['market_volatility', 'market_trend', 'market_risk'],
  tickersOf: [...factors, ...multiFactorNames],
}

const MOST_IDS = 200

/** Lists identifiers to suggest: those used successfully, latest first, then the sandbox's if it is connected. */
export function useKnownIds(kind: IdKind) {
  const host = useHost()
  const connections = useConnections()
  const used = createResource((_query: void, signal) =>
    host.call('portfolio.usedIds', { kind, limit: MOST_IDS }, { signal }),
  )
  watch(
    () => connections.active?.id,
    () => void used.load(),
    { immediate: true },
  )
  const usedIds = computed(() => used.value.value?.map(({ id }) => id) ?? [])
  const ids = computed(() => {
    const idsOfSandbox = connections.active?.builtIn && kind !== 'ticker' ? sandboxIds[kind] : []
    return [...new Set([...usedIds.value, ...idsOfSandbox])]
  })
  return { ids, usedIds, isLoaded: computed(() => used.value.value !== null), reload: () => void used.load() }
}
