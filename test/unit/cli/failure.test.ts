import { expect, it } from 'vitest'
import { sentencesOf } from '../../../electron/cli/failure.ts'
import { AppError } from '../../../shared/contract/errors.ts'

it.each([
  ['The symbol is unknown', 'The service replied: 404 The symbol is unknown.'],
  ['The symbol is unknown.', 'The service replied: 404 The symbol is unknown.'],
  ['Which symbol?', 'The service replied: 404 Which symbol?'],
  ['No Plans: https://a.example/plans', 'The service replied: 404 No Plans: https://a.example/plans '],
])('ends the reply of a service with one full stop: %s', (message, sentence) => {
  const error = new AppError('bad-input', null, { service: { status: 404, message, requestId: null } }).toShape()
  expect(sentencesOf(error)).toContain(sentence)
  expect(sentencesOf(error)).not.toMatch(/[.?]\./)
})

it('says of what is wrong on this machine only that, without what goes for every such error', () => {
  const error = new AppError('not-found', 'There is no study nope.').toShape()
  expect(sentencesOf(error)).toBe('There is no study nope.')
})
