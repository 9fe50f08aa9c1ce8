import { readFileSync, readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { expect, test } from 'vitest'

const folder = join(import.meta.dirname, '..')
const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.test.ts'))
const rows = readFileSync(join(folder, '..', 'SECURITY.md'), 'utf8')
  .split('\n')
  .map((line) => /^\| (.+?) +\| `(.+?)` +\| (.+?) +\|$/.exec(line)?.slice(1))
  .filter((row) => row !== undefined)

test('the table of promises is there', () => expect(rows.length).toBeGreaterThan(30))

test.each(rows)('%s is attacked in %s', (_promise, file, name) => {
  const found = paths.filter((path) => basename(path) === file)
  expect(found.map((path) => readFileSync(join(folder, path), 'utf8')).join('')).toContain(name)
})
