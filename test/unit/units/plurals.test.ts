import { describe, expect, it } from 'vitest'
import { agree, plainPlural, plural } from '#shared/units/plurals.ts'

describe('plural', () => {
  it.each([
    [0, '0 files'],
    [1, '1 file'],
    [2, '2 files'],
    [11, '11 files'],
    [21, '21 files'],
    [101, '101 files'],
    [1024, '1\u202f024 files'],
    [-1, '\u22121 file'],
    [1234567, '1\u202f234\u202f567 files'],
  ])('writes %d with its noun', (count, text) => {
    expect(plural(count, 'file')).toBe(text)
  })

  it('takes a plural of its own', () => {
    expect(plural(1, 'entry', 'entries')).toBe('1 entry')
    expect(plural(3, 'entry', 'entries')).toBe('3 entries')
  })

  it('takes the verb along', () => {
    expect(plural(1, 'file is', 'files are')).toBe('1 file is')
    expect(plural(2, 'file is', 'files are')).toBe('2 files are')
  })

  it('keeps series as it is', () => {
    expect(plural(1, 'series', 'series')).toBe('1 series')
    expect(plural(5, 'series', 'series')).toBe('5 series')
  })
})

describe('plainPlural', () => {
  it('does not group thousands, so that a program can read the number', () => {
    expect(plainPlural(1, 'row')).toBe('1 row')
    expect(plainPlural(12345, 'row')).toBe('12345 rows')
    expect(plainPlural(2, 'entry', 'entries')).toBe('2 entries')
  })
})

describe('agree', () => {
  it('picks the form that agrees with the count', () => {
    expect([0, 1, 2, 1.5, 100].map((count) => agree(count, 'is', 'are'))).toEqual(['are', 'is', 'are', 'are', 'are'])
  })
})
