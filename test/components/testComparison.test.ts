import { compareReturns, netReturns } from '#shared/lab/portfolio/compareReturns.ts'
import type { PortfolioResult } from '#shared/lab/portfolio/testResult.ts'
import { describe, expect, it } from 'vitest'
import { tearSheetTable } from '#shared/lab/kinds/portfolio/sheet.ts'

const resultOf = (days: string[], net: number[]) =>
  ({ days, net, study: { riskFree: 0 }, figures: { net: { totalReturn: 1 }, gross: {} } }) as unknown as PortfolioResult

const days = ['2026-01-01', '2026-01-02', '2026-01-03', '2026-01-04']

describe('a test beside another', () => {
  const test = resultOf(days, [0.1, 0.2, -0.1, 0.05])
  const columns = (other: PortfolioResult) => {
    const comparison = compareReturns(test, netReturns(other))
    const { frame } = tearSheetTable(test, comparison && { ...comparison, label: 'Other' })
    return Object.fromEntries(frame.columns.map(({ name, ...column }) => [name, column]))
  }
  const titles = (other: PortfolioResult) => Object.keys(columns(other))

  it('has its figures on the same days, where these are not all of its days', () => {
    const later = resultOf(['2026-01-03', '2026-01-04', '2026-01-05'], [0.3, 0.1, 0.7])
    const comparison = compareReturns(test, netReturns(later))
    expect(comparison).toMatchObject({ days: 2, firstDay: '2026-01-03', lastDay: '2026-01-04' })
    expect(comparison?.test.totalReturn).toBeCloseTo(0.9 * 1.05 - 1, 12)
    expect(comparison?.other.totalReturn).toBeCloseTo(1.3 * 1.1 - 1, 12)
    expect(titles(later)).toEqual(['figure', 'net', 'gross', 'common', 'compared', 'definition'])
  })

  it('has no column for the common days where all days are common', () => {
    expect(titles(resultOf(days, [0, 0.1, 0, 0.1]))).toEqual(['figure', 'net', 'gross', 'compared', 'definition'])
  })

  it('cannot be compared without a common day', () => {
    expect(compareReturns(test, netReturns(resultOf(['2027-01-01'], [0.1])))).toBeNull()
  })
})
