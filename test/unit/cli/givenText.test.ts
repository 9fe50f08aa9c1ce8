import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { readGivenText } from '../../../electron/cli/givenText.ts'
import { temporaryFolder } from '../../fakes/temporaryFolder.ts'

it('reads a text of the allowed length, and says of a longer one how long it may be', () => {
  const path = join(temporaryFolder(), 'note.md')
  writeFileSync(path, 'abcde')
  expect(readGivenText(path, 5)).toBe('abcde')
  expect(() => readGivenText(path, 4)).toThrow(`${path} is too large: at most 4 characters can be read.`)
})
