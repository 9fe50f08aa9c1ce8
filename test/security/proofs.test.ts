import { existsSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const at = (path: string) => new URL(`../../${path}`, import.meta.url)
const rows = readFileSync(at('SECURITY.md'), 'utf8')
  .split('\n')
  .map((line) => /^\| (.+) \| `(test\/.+?)` \| (.+) \|$/.exec(line)?.slice(1))
  .filter((row) => row !== undefined)

test('the table of promises is there', () => expect(rows.length).toBeGreaterThan(30))

test.each(rows)('%s is attacked in %s', (_promise, file, name) => {
  expect(existsSync(at(file))).toBe(true)
  expect(readFileSync(at(file), 'utf8')).toContain(name)
})
