import { DEFAULT_ROLLING_WINDOW, rollingWindows } from '#shared/portfolio/rolling.ts'
import { parseNumber } from '#shared/units/numbers.ts'
import type { Shading } from '#shared/workspace/workspace.ts'
import { noPortfolio, type PortfolioFields } from '../portfolioFields.ts'

/** Defaults of the page's address. */
export const portfolioDefaults = {
  ...noPortfolio,
  /** Days, both included; empty: from the beginning, to the end. */
  from: '',
  to: '',
  /** A ticker. */
  benchmark: '',
  scale: 'linear',
  window: String(DEFAULT_ROLLING_WINDOW),
  /** Per cent a year. */
  riskFree: '0',
  /** Others beside it, see `comparedFields`. */
  compare: '',
  /** A regime or one of the portfolio's overlays behind the chart, and which of both it is. */
  shade: '',
  shadeBy: 'regime',
}
export type PortfolioAddress = Record<keyof typeof portfolioDefaults, string>

export const MOST_COMPARED = 5

/** `id~smoothing~venue` each, commas between them. */
export function comparedFields(text: string): PortfolioFields[] {
  const all = text.split(',').map((one) => {
    const [portfolio = '', smoothing = '', exchange = ''] = one.split('~')
    return { portfolio, smoothing, exchange }
  })
  return all.filter(({ portfolio }) => portfolio !== '').slice(0, MOST_COMPARED)
}

export const comparedText = (all: readonly PortfolioFields[]): string =>
  all.map(({ portfolio, smoothing, exchange }) => [portfolio, smoothing, exchange].join('~').replace(/~+$/, '')).join()

/** Builds the shading of the chart; null for none. */
export function shadingOf({ portfolio, shade, shadeBy }: PortfolioAddress): Shading | null {
  if (shade === '' || portfolio === '') return null
  return shadeBy === 'overlay' ? { kind: 'overlay', portfolio, overlay: shade } : { kind: 'regime', overlay: shade }
}

export function windowOf(text: string): number {
  return rollingWindows.find((window) => String(window) === text) ?? DEFAULT_ROLLING_WINDOW
}

/** Parses a rate into a fraction; null if the text is not a rate above −100 %. */
export function riskFreeOf(text: string): number | null {
  const percent = parseNumber(text.replace('%', ''))
  return percent === null || percent <= -100 || percent > 1000 ? null : percent / 100
}
