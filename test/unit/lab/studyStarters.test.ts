import { expect, it } from 'vitest'
import { readyStudiesOn } from '#shared/lab/readyStudies.ts'
import { studyStarters } from '../../../renderer/views/lab/studyStarters.ts'

const cached = ['ETH', 'SOL', 'XRP', 'ADA'].map((base) => `perpetual-${base}-USDT:USDT`)
const needsWith = (here: string[]) => {
  const { studies } = readyStudiesOn({ venue: 'heron', nowMs: Date.UTC(2026, 7, 15), cached: here })
  const groups = studyStarters(studies, { onSandbox: false, cached: new Set(here) })
  return groups.flatMap(({ entries }) => entries.flatMap((entry) => ('study' in entry ? (entry.needs ?? []) : [])))
}

it('says of studies across symbols that they read what is cached, and that few symbols are few', () => {
  const said = needsWith(cached)
  expect(said.filter((needs) => needs.startsWith('4 cached symbols, few · 1h ·')).length).toBeGreaterThan(3)
  expect(needsWith([]).filter((needs) => needs.includes('cached'))).toEqual([])
})
