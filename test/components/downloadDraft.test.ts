import { expect, test } from 'vitest'
import {
  draftOf,
  draftOfSet,
  requestProblem,
  requestOfDraft,
  setOf,
  setDraftList,
} from '../../renderer/views/downloads/draft.ts'

const nowMs = Date.parse('2026-09-15T12:00:00Z')

test('a list takes the place of symbols and venues, in the request and in a set', () => {
  const draft = draftOf({}, nowMs, 'heron-perps')
  expect(requestProblem(draft)).toBe('Choose at least one symbol.')
  setDraftList(draft, 'majors', 'heron-perps')
  expect(requestProblem(draft)).toBeNull()
  expect(requestOfDraft(draft)).toMatchObject({ list: 'majors', exchanges: [], symbols: [] })
  const set = setOf(draft, 'morning', { lastDays: 1 })
  expect(draftOfSet(set, nowMs)).toMatchObject({ list: 'majors', exchanges: [], symbols: [] })
  setDraftList(draft, '', 'heron-perps')
  expect(draft).toMatchObject({ list: undefined, exchanges: ['heron-perps'], symbols: [] })
})

test('says which text is not a day', () => {
  const draft = { ...draftOf({}, nowMs, 'heron-perps'), symbols: ['perpetual-BTC-USDT:USDT'], endDay: '2026-02-31' }
  expect(requestProblem(draft)).toBe('“2026-02-31” is not a day. Write days as YYYY-MM-DD.')
  expect(requestProblem({ ...draft, endDay: '' })).toBe('Enter the first and the last day.')
})
