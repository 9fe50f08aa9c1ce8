import type { LabDocument } from '#shared/contract/areas/lab.ts'
import { expect, it } from 'vitest'
import { changeMark, changesText } from '../../../renderer/views/lab/trialChanges.ts'

const trial = (signal: string) => ({ panel: null, study: { kind: 'portfolio', signal } }) as unknown as LabDocument
const mark = (before: string, after: string) => changeMark(trial(before), trial(after))

it.each([
  ['funding', '-funding', 'funding → -funding'],
  ['mean(zscore(funding_rate, 24), 72)', 'mean(zscore(funding_rate, 48), 72)', '…24… → …48…'],
  ['-mean(funding_rate, 72) + 0.5 * basis', '-mean(funding_rate, 72) + 0.5 * basis_bps', '…basis → …basis_bps'],
  ['-rank(mean(funding_rate, 72))', 'rank(mean(funding_rate, 72))', '-rank… → rank…'],
  ['rank(mean(funding_rate, 72), 5)', 'rank(mean(funding_rate, 72))', '…72), 5… → …72)…'],
  ['funding', 'rank(close / delay(close, 24) - 1)', '→ rank(close / delay(close, 24) - 1)'],
])('the mark of a trial shows what differs: %s, %s', (before, after, shown) => {
  expect(mark(before, after)).toBe(`Signal ${shown}`)
})

it('trials that say the same have no mark', () => {
  expect(mark('funding', 'funding')).toBeNull()
})

it('names a field only where its values do not', () => {
  const document = (study: object) => ({ study: { kind: 'series', ...study } }) as never
  expect(changeMark(document({ buckets: 10 }), document({ buckets: 5 }))).toBe('10 buckets → 5 buckets')
  expect(changesText(document({ delayBars: 1 }), document({ delayBars: 2 }))).toEqual(['Delay 1 bar → 2 bars'])
})
