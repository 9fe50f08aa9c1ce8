import { expect, it } from 'vitest'
import { figureName } from '#shared/report/reportContent.ts'

it.each([
  ['horizon', 'Horizon'],
  ['worstDays', 'Worst days'],
  ['n', 'Samples'],
  ['t', 't'],
  ['quantiles.2', 'Quantile 2'],
  ['rankIc.all.sd', 'Rank IC, all times: standard deviation'],
  ['spread.p', 'Spread: p'],
  ['attrition.noEntryPrice', 'Attrition: no entry price'],
  ['constructor', 'Constructor'],
])('names the figure %s', (key, name) => {
  expect(figureName(key)).toBe(name)
})
