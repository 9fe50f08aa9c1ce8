import { expect, test } from 'vitest'
import { ownFields, testedFields } from '../../renderer/views/portfolios/addressFields.ts'
import { portfolioDefaults, shadingOf } from '../../renderer/views/portfolios/portfolio/useReturns.ts'

test('an overlay shades only a portfolio of the service, a regime any', () => {
  const shading = (portfolio: string, shadeBy: string) =>
    shadingOf({ ...portfolioDefaults, portfolio, shade: 'calm', shadeBy })
  expect(shading('momentum_ls.20', 'overlay')).toEqual({
    kind: 'overlay',
    portfolio: 'momentum_ls.20',
    overlay: 'calm',
  })
  for (const { portfolio } of [ownFields('1'), testedFields('1')]) {
    expect(shading(portfolio, 'overlay')).toBeNull()
    expect(shading(portfolio, 'regime')).toEqual({ kind: 'regime', overlay: 'calm' })
  }
})
