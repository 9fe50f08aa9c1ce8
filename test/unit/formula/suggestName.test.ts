import { describe, expect, it } from 'vitest'
import { didYouMean, suggestName } from '#shared/formula/suggestName.ts'

const known = ['funding', 'spread', 'close', 'open', 'sma', 'ema', 'a']

describe('the name that was probably meant', () => {
  it.each([
    ['fundng', 'funding'],
    ['Fundign', 'funding'],
    ['spraed', 'spread'],
    ['cloze', 'close'],
    ['smaa', 'sma'],
    // The typed name differs in two of seven letters.
    ['fumdimg', 'funding'],
    // The first of several equally near names is suggested.
    ['xma', 'sma'],
  ])('%s is %s', (typed, meant) => {
    expect(suggestName(typed, known)).toBe(meant)
    expect(didYouMean(typed, known)).toBe(` Did you mean ${meant}?`)
  })

  it.each([
    ['three changes', 'fumdimk'],
    ['more than half of a short name', 'xx'],
    ['two of three letters', 'sxx'],
    ['another letter alone', 'b'],
    ['three letters more', 'closexyz'],
    ['nothing like it', 'volatility'],
  ])('is none for %s', (_, typed) => {
    expect(suggestName(typed, known)).toBeNull()
    expect(didYouMean(typed, known)).toBe('')
  })

  it('is the nearer one, wherever it stands', () => {
    expect(suggestName('opens', ['openst', 'open'])).toBe('openst')
    expect(suggestName('closed', ['closexx', 'close'])).toBe('close')
    expect(suggestName('closed', ['close', 'closexx'])).toBe('close')
  })
})
