import { describe, expect, test } from 'vitest'
import { judgeAudit } from '../../../scripts/audit.mjs'
import { billOfMaterials, packageFolderOf } from '../../../scripts/shippedPackages.ts'

test.each([
  ['/p/node_modules/vue/dist/vue.js', '/p/node_modules/vue'],
  ['/p/node_modules/@lucide/vue/x/y.js?commonjs', '/p/node_modules/@lucide/vue'],
  ['/p/node_modules/a/node_modules/@b/c/i.js', '/p/node_modules/a/node_modules/@b/c'],
  ['\0/p/node_modules/uplot/i.js', '/p/node_modules/uplot'],
  ['C:\\p\\node_modules\\ws\\i.js', 'C:/p/node_modules/ws'],
  ['/p/shared/time.ts', null],
])('%s belongs to %s', (path, folder) => expect(packageFolderOf(path)).toBe(folder))

test('the bill of materials lists each package with its package URL, license and checksum', () => {
  const bill = billOfMaterials({ name: 'perpscope', version: '1.0.0', licence: 'MIT' }, [
    { name: '@a/b', version: '2.0.0', licence: 'ISC', licenceText: '', homepage: '', integrity: 'sha512-AQID' },
  ])
  expect(bill).toMatchObject({ bomFormat: 'CycloneDX', specVersion: '1.6', version: 1 })
  expect(bill.components).toEqual([
    {
      type: 'library',
      'bom-ref': 'pkg:npm/%40a/b@2.0.0',
      name: '@a/b',
      version: '2.0.0',
      purl: 'pkg:npm/%40a/b@2.0.0',
      licenses: [{ expression: 'ISC' }],
      hashes: [{ alg: 'SHA-512', content: '010203' }],
    },
  ])
  expect(bill.dependencies).toEqual([{ ref: 'pkg:npm/perpscope@1.0.0', dependsOn: ['pkg:npm/%40a/b@2.0.0'] }])
})

describe('the audit', () => {
  const shipped = new Set(['vue', 'ws'])
  const weak = (name: string) => ({
    name,
    severity: 'high',
    range: '<9',
    via: [{ title: 'Something bad', url: 'https://advisories.example/1' }],
  })

  test('fails for a vulnerability in a shipped package, and names it', () => {
    const answer = JSON.stringify({ vulnerabilities: { ws: weak('ws'), vitest: weak('vitest') } })
    const { state, lines } = judgeAudit(answer, shipped)
    expect(state).toBe('affected')
    expect(lines[0]).toBe('high: ws <9: Something bad https://advisories.example/1')
    expect(lines[1]).toMatch(/^1 more/)
  })

  test('passes if only development packages are vulnerable, and says how many', () => {
    const { state, lines } = judgeAudit(JSON.stringify({ vulnerabilities: { vitest: weak('vitest') } }), shipped)
    expect([state, lines.length]).toEqual(['clean', 2])
  })

  test.each(['', 'nonsense', '{"message":"405 Method Not Allowed"}'])(
    'says that nothing was checked if the registry does not answer: %s',
    (answer) => {
      const { state, lines } = judgeAudit(answer, shipped)
      expect([state, lines[0]]).toEqual(['unknown', expect.stringContaining('Not checked')])
    },
  )
})
