import type { ChartedPortfolio } from '#shared/portfolio/tearSheetSections.ts'

/**
 * Names the lines of a chart: variants of the first portfolio by what is other of them, such as “smoothed 5 days”,
 * because where there is little room only the start of a name is left.
 */
export function withShortNames(portfolios: readonly ChartedPortfolio[]): ChartedPortfolio[] {
  const subject = `${portfolios.at(0)?.label.split(', ')[0]}, `
  return portfolios.map((each, at) =>
    at > 0 && each.label.startsWith(subject) ? { ...each, label: each.label.slice(subject.length) } : each,
  )
}
