import { expect, it } from 'vitest'
import { foldRows, lineDiff } from '#shared/units/lineDiff.ts'

const show = (left: string, right: string) =>
  lineDiff(left, right).map((row) => `${row.left ?? '·'}${row.isSame ? '=' : '|'}${row.right ?? '·'}`)

it('puts equal lines beside each other and changed ones where they stand', () => {
  expect(show('a\nb\nc\n', 'a\nB\nc\n')).toEqual(['a=a', 'b|B', 'c=c'])
  expect(show('a\nc\n', 'a\nb\nc\n')).toEqual(['a=a', '·|b', 'c=c'])
  expect(show('a\nx\nb\nc\nd', 'a\nb\ny\nd')).toEqual(['a=a', 'x|·', 'b=b', 'c|y', 'd=d'])
  expect(show('', 'a\n')).toEqual(['·|a'])
  expect(show('a\n', 'a\n')).toEqual(['a=a'])
})

it('compares texts of any size within its time, and folds what is equal', () => {
  const long = Array.from({ length: 100_000 }, (_, at) => `line ${at}`)
  const rows = lineDiff(long.join('\n'), long.toReversed().join('\n'))
  expect(rows.length).toBe(100_000)
  const changed = lineDiff(long.join('\n'), long.with(50_000, 'other').join('\n'))
  const folded = foldRows(changed)
  expect(folded.map((row) => (typeof row === 'number' ? row : row.right))).toEqual([
    49_997,
    'line 49997',
    'line 49998',
    'line 49999',
    'other',
    'line 50001',
    'line 50002',
    'line 50003',
    49_996,
  ])
})
