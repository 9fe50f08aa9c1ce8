import { checkKill, killText, parseKill } from '#shared/lab/forward/killCriterion.ts'
import { expect, it } from 'vitest'

it.each([
  ['sharpe < 0 after 60d', { figure: 'sharpe', below: 0, afterDays: 60 }],
  [' maxDrawdown<-0.2 after 1d ', { figure: 'maxDrawdown', below: -0.2, afterDays: 1 }],
  ['ic < 1e-2  after 250d', { figure: 'ic', below: 0.01, afterDays: 250 }],
])('reads %s', (text, expected) => {
  expect(parseKill(text)).toEqual(expected)
  expect(parseKill(killText(parseKill(text)))).toEqual(expected)
})

it.each([
  ['', 'cannot be read'],
  ['sharpe > 0 after 60d', 'cannot be read'],
  ['sharpe < 0', 'cannot be read'],
  ['sortino < 0 after 60d', 'sortino is no figure that can kill'],
  ['constructor < 0 after 60d', 'constructor is no figure'],
  ['sharpe < none after 60d', 'none is not a number'],
  ['sharpe < NaN after 60d', 'NaN is not a number'],
  ['sharpe < 1e999 after 60d', '1e999 is not a number'],
  ['sharpe < 0 after 60', '60 is no number of days'],
  ['sharpe < 0 after 2w', '2w is no number of days'],
  ['sharpe < 0 after 0d', 'the number of days is 1 to 36500, not 0'],
  ['sharpe < 0 after 99999d', 'not 99999'],
])('refuses %j by a sentence', (text, message) => {
  expect(() => parseKill(text)).toThrow(message)
})

it('refuses a figure that the kind of study does not have', () => {
  const [sharpe, ic] = ['sharpe', 'ic'].map((figure) => parseKill(`${figure} < 0 after 60d`))
  expect(() => checkKill(sharpe, 'portfolio')).not.toThrow()
  expect(() => checkKill(ic, 'signal')).not.toThrow()
  expect(() => checkKill(sharpe, 'signal')).toThrow('kill: a signal study has no sharpe')
  expect(() => checkKill(ic, 'portfolio')).toThrow('only a signal study has an ic')
  expect(() => checkKill(sharpe, 'seasonality')).toThrow('no forward figures')
})
