import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'

const scripts = resolve(import.meta.dirname, '../../../scripts')
const files = readdirSync(scripts, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.mjs'))
const isEntry = (name: string) => !name.includes('/')

/** Lists the names that a script imports from neighbouring scripts, as [file, name]. */
function importedNames(name: string): [string, string][] {
  const text = readFileSync(join(scripts, name), 'utf8')
  return [...text.matchAll(/import \{([^}]+)\} from '(\.[^']+\.mjs)'/g)].flatMap(([, names, from]) => {
    const file = resolve(dirname(join(scripts, name)), from ?? '')
    const wanted = (names ?? '').split(',').map((each) => (each.trim().split(' as ')[0] ?? '').trim())
    return wanted.filter((each) => each !== '').map((each): [string, string] => [file, each])
  })
}

// This test is needed because types are not checked in scripts, and a script that no test starts would fail only when a
// person starts it.
test('every name that a script imports from another is exported there', async () => {
  const missing: string[] = []
  for (const name of files) {
    for (const [file, wanted] of importedNames(name)) {
      if (isEntry(file.slice(scripts.length + 1))) {
        if (!new RegExp(`export [^\\n]*\\b${wanted}\\b`).test(readFileSync(file, 'utf8')))
          missing.push(`${name}: ${wanted}`)
        continue
      }
      const exported: object = await import(pathToFileURL(file).href)
      if (!(wanted in exported)) missing.push(`${name}: ${wanted}`)
    }
  }
  expect(files.length).toBeGreaterThan(20)
  expect(missing).toEqual([])
})
