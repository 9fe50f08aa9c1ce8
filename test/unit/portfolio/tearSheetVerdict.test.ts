import { expect, it } from 'vitest'
import { tearSheet } from '#shared/portfolio/tearSheet.ts'
import { tearSheetVerdict } from '#shared/portfolio/tearSheetVerdict.ts'
import { dayNumberOf } from '#shared/time/periods.ts'

const first = dayNumberOf('2026-01-01')
const verdictOf = (values: number[]) =>
  tearSheetVerdict(
    tearSheet({ days: Int32Array.from(values, (_, at) => first + at), values: Float64Array.from(values), valid: null }),
  )

it('says what was earned, how steadily, and when the deepest loss began and ended', () => {
  expect(verdictOf([0.1, -0.2, 0.3, -0.1, 0.2])).toMatch(
    /^It earned 23\.6 % in 5 days at a Sharpe ratio of \d+\.\d+; its deepest loss was 20\.0 %, from 2026-01-02, recovered on 2026-01-03\.$/,
  )
  expect(verdictOf([0.1, -0.2, 0.1])).toMatch(/^It lost 3\.2 % in 3 days .* from 2026-01-02, not recovered yet\.$/)
  expect(verdictOf([0.1, 0.1])).toMatch(/, and never fell below its highest value\.$/)
  expect(verdictOf([])).toBeNull()
})
