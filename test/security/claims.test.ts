import { readFileSync, readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { expect, test } from 'vitest'
import { claimsFile, claimsText, readClaims } from '../../scripts/claims.mjs'

const folder = join(import.meta.dirname, '..')
const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.test.ts'))
const claims: { claim: string; file: string; test: string }[] = readClaims()

test('the table of claims is up to date', () =>
  expect(readFileSync(claimsFile, 'utf8'), 'run: npm run claims').toBe(claimsText()))

test.each(claims)('$claim is attacked in $file', ({ file, test: name }) => {
  const found = paths.filter((path) => basename(path) === file)
  expect(found.map((path) => readFileSync(join(folder, path), 'utf8')).join('')).toContain(name)
})
