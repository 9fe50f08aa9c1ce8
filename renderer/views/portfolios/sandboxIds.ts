import type { IdKind } from '#shared/catalog/portfolioEndpoints.ts'

/** Identifiers of the built-in sandbox, offered because a real service has no list of them. */
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
const several = ['multi_core', 'multi_trend_carry', 'multi_defensive']
const single = factors.flatMap((id) => [`${id}_ls`, `${id}_lo`])
const sizes = ['20', '30', '40']

const portfolios = [
  ...single.flatMap((name) => [...sizes, 'full'].map((size) => `${name}.${size}`)),
  ...several.flatMap((name) => sizes.map((size) => `${name}.${size}`)),
]

export const sandboxIds: Readonly<Record<Exclude<IdKind, 'ticker'>, readonly string[]>> = {
  portfolio: portfolios,
  factor: factors,
  overlay: ['vol_target', 'trend_guard', 'drawdown_control'],
  regime: ['market_volatility', 'market_trend', 'market_risk'],
  tickersOf: [...factors, ...several],
}
