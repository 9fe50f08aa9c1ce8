import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { nodeProblem } from '../../../scripts/project.mjs'

const root = fileURLToPath(new URL('../../../', import.meta.url))

/** Module that makes Node report an older version. */
const pretend = `data:text/javascript,Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.20.2' } })`

it('vitest ends at once with one sentence on a Node that the SQLite binding would crash', () => {
  const args = ['--import', pretend, 'node_modules/vitest/vitest.mjs', 'run', 'test/unit/units']
  const { status, stderr, stdout } = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8' })
  expect(status).toBe(1)
  expect(stderr).toContain(nodeProblem('20.20.2'))
  expect(stdout).not.toContain('test/unit')
})

it.each(['22.0.0', '24.21.0', '26.1.0'])('Node %s will do', (version) => expect(nodeProblem(version)).toBeNull())
