/** A ready-made study document to start from. */
export interface ReadyStudy {
  id: string
  name: string
  /** One sentence on what the study tests. */
  description: string
  document: Readonly<Record<string, unknown>>
}

/** Bases of mid-sized perpetuals: enough symbols for a cross-section, with files that download quickly. */
const bases = [
  'GRT ENJ IOST LIT ALICE COTI BEL ALPHA ZEN BLZ CTSI OGN NKN HBAR CHR KLAY MASK ATA GTC LPT AR',
  'IMX FLOW ROSE DUSK JASMY WOO BSW DAR INJ SPELL LUNA2 FET MAGIC HIGH MINA HOOK GMX ACH TWT ID HFT',
].flatMap((line) => line.split(' '))

const symbolOf = (base: string) => `perpetual-${base}-USDT:USDT`
const MARKET_LEADER = symbolOf('BTC')

/** Ninety-two days of hourly rows, in three monthly files per symbol and dataset. */
const common = { version: 1, interval: '1h', start: '2026-05-01', end: '2026-07-31' }

/** Ready-made studies that the Lab offers. Each runs on the sandbox once its files are downloaded. */
export interface ReadyStudies {
  studies: readonly ReadyStudy[]
  /** A ready-made tested portfolio: funding carry, with costs from served data. */
  test: ReadyStudy
}

/**
 * Builds the ready-made studies on a venue.
 * @param venue the first venue of the connection; null if none is known, so that the user names one
 */
export function readyStudiesOn(venue: string | null): ReadyStudies {
  const sourceOf = (symbols: readonly string[]) => ({
    exchanges: venue === null ? [] : [venue],
    symbols,
    universe: null,
    timestamp: 'exchange',
    against: null,
  })
  const source = sourceOf(bases.map(symbolOf))
  return { studies: studiesOf(sourceOf, source, venue), test: testOf(source) }
}

type Source = Readonly<Record<string, unknown>>

const studiesOf = (
  sourceOf: (symbols: readonly string[]) => Source,
  source: Source,
  venue: string | null,
): readonly ReadyStudy[] => [
  {
    id: 'funding-carry',
    name: 'Funding carry',
    description: 'Do perpetuals with low funding outperform those with high funding?',
    document: {
      ...common,
      kind: 'signal',
      name: 'Funding carry',
      source,
      signal: '-sma(funding.funding_rate, 24)',
      horizons: [8, 24, 72],
    },
  },
  {
    id: 'volume-delta-momentum',
    name: 'Volume delta momentum',
    description: 'Do prices keep rising where takers were buying?',
    document: {
      ...common,
      kind: 'signal',
      name: 'Volume delta momentum',
      source,
      signal: 'sma(flow.volume_delta, 4) / sma(flow.taker_buy_volume + flow.taker_sell_volume, 4)',
      horizons: [1, 4, 24],
    },
  },
  {
    id: 'open-interest-change',
    name: 'Open-interest change',
    description: 'What follows when open interest grows faster than elsewhere?',
    document: {
      ...common,
      kind: 'signal',
      name: 'Open-interest change',
      source,
      signal: 'diff(log(open_interest.open_interest), 24)',
      horizons: [4, 24],
    },
  },
  {
    id: 'basis-reversion',
    name: 'Basis reversion',
    description: 'Does a basis far from its own mean predict the return that closes it?',
    document: {
      ...common,
      kind: 'signal',
      name: 'Basis reversion',
      source,
      signal: '-zscore(basis.basis_bps, 72)',
      horizons: [1, 4, 24],
    },
  },
  {
    id: 'toxicity-after-large-trades',
    name: 'Toxicity after large trades',
    description: 'Where do prices go after an hour of large trades with toxic flow?',
    document: {
      ...common,
      kind: 'events',
      name: 'Toxicity after large trades',
      source,
      when: 'zscore(trade_size.large_order_volume, 168, 100) > 3 and zscore(flow.flow_toxicity_score, 168, 100) > 1',
      price: 'ohlcv.close',
      cooldownBars: 12,
      adjust: 'market',
    },
  },
  {
    id: 'spread-widening',
    name: 'Spread widening',
    description:
      'Where do prices go after the spread has widened far beyond its mean? The sandbox contains an artificial fall of 0.6 % over six hours.',
    document: {
      ...common,
      kind: 'events',
      name: 'Spread widening',
      source,
      when: 'zscore(l1_liquidity.spread_bps_avg, 168, 48) > 5',
      price: 'ohlcv.close',
      cooldownBars: 12,
      adjust: 'market',
    },
  },
  {
    id: 'btc-leads-alts',
    name: 'BTC leads the others',
    description: 'Do returns of BTC predict those of smaller symbols some hours later?',
    document: {
      ...common,
      kind: 'leadlag',
      name: 'BTC leads the others',
      source: sourceOf([MARKET_LEADER, ...bases.map(symbolOf)]),
      value: 'diff(log(ohlcv.close))',
      reference: `${venue ?? ''}/${MARKET_LEADER}`,
    },
  },
  {
    id: 'funding-hours',
    name: 'Funding hours',
    description:
      'Do the returns of some hours before funding differ from the mean of the last eight hours? The sandbox contains an artificial rise of 0.2 % two hours before, which then reverses.',
    document: {
      ...common,
      kind: 'seasonality',
      name: 'Funding hours',
      source,
      value: 'diff(log(ohlcv.close)) - sma(diff(log(ohlcv.close)), 8)',
      by: 'minutesToFunding',
    },
  },
]

const testOf = (source: Source): ReadyStudy => ({
  id: 'funding-carry-tested',
  name: 'Funding carry, tested',
  description: 'What is left of the funding carry after fees, spread and slippage?',
  document: {
    ...common,
    kind: 'portfolio',
    name: 'Funding carry, tested',
    source,
    signal: '-sma(funding.funding_rate, 24)',
    weights: { cap: 0.1 },
    costs: {
      feeBps: 5,
      spreadBps: 'l1_liquidity.spread_bps_avg',
      slippage: { k: 1, sigma: 'returns.realized_vol' },
      volume: 'ohlcv.volume_notional',
    },
    capacity: { levels: [100_000, 1_000_000, 10_000_000] },
  },
})

/**
 * Restricts a formula to the symbols with the largest notional volume of the previous 30 days, as known at each time;
 * elsewhere the result is missing. `cs_rank` gives r = (i − 0.5)/n for the i-th of n symbols, and the mean of r² gives
 * n, because Σ(i − 0.5)²/n³ = 1/3 − 1/(12 n²).
 * @param bars number of rows in 30 days
 */
export function withTopByVolume(formula: string, count: number, bars: number): string {
  const rankFormula = `cs_rank(-sma(ohlcv.volume_notional, ${bars}, ${Math.ceil(bars / 2)}))`
  const meanSquareFormula = `(${rankFormula} ^ 2 - cs_demean(${rankFormula} ^ 2))`
  return `(${formula}) / (${rankFormula} < ${count} * sqrt(4 - 12 * ${meanSquareFormula}))`
}
