import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { readmePictures } from '../../../scripts/pictures/readmePictures.mjs'

const root = join(import.meta.dirname, '../../..')

it('shows in the README what the tour shows', () => {
  const readme = readFileSync(join(root, 'README.md'), 'utf8')
  const shown = [...readme.matchAll(/!\[[^\]]+\]\(resources\/screenshots\/([^)]+)\)/g)].map(([, name]) => name)
  expect(shown.toSorted()).toEqual(Object.keys(readmePictures).toSorted())
  for (const name of shown) expect(existsSync(join(root, 'resources', 'screenshots', name)), name).toBe(true)
})
