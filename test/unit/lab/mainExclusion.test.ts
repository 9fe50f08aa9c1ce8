import { expect, it } from 'vitest'
import { mainExclusion } from '#shared/lab/kinds/sections.ts'

it.each([
  [
    { cells: 9, notMember: 1, noRow: 5, warmUp: 3, used: 0 },
    { reason: 'No row', cells: 5, all: 9 },
  ],
  [
    { trueCells: 0, notEdge: 0, used: 0 },
    { reason: 'Not the first bar', cells: 0, all: 0 },
  ],
  [{ cells: 9, notMember: 8, used: 1 }, null],
])('names why an answer has no figures: %j', (attrition, exclusion) =>
  expect(mainExclusion(attrition)).toEqual(exclusion),
)
