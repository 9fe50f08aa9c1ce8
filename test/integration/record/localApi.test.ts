import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { cliSession } from '../../fakes/cliSession.ts'

const hasPython = spawnSync('python3', ['--version']).status === 0
const pythonPath = join(import.meta.dirname, '..', '..', '..', 'resources', 'python')

const program = `
import perpscope, sys
try:
    print(perpscope.study({"version": 1}, data_dir=sys.argv[1]))
except perpscope.PerpscopeError as thrown:
    print(thrown)
`

function inPython(dataDir: string): string {
  const env = { ...process.env, PYTHONPATH: pythonPath, PYTHONDONTWRITEBYTECODE: '1', HTTP_PROXY: 'http://127.0.0.1:9' }
  return execFileSync('python3', ['-c', program, dataDir], { env, encoding: 'utf8' })
}

it('serve --api says where the local API and its token are, answers, and takes the token away at its end', async () => {
  const { start, dataDir, run } = await cliSession()
  if (hasPython) expect(inPython(dataDir)).toContain('perpscope serve --api')
  const child = start(['serve', '--api', '--json'])
  const first = JSON.parse(await child.firstLine) as { url: string; port: number; tokenFile: string }
  expect(first).toEqual({
    url: `http://127.0.0.1:${first.port}`,
    port: first.port,
    tokenFile: join(dataDir, 'door', 'token'),
  })
  expect(statSync(first.tokenFile).mode & 0o777).toBe(0o600)
  const token = readFileSync(first.tokenFile, 'utf8')
  expect(token).toMatch(/^[\w-]{43}$/)
  const answer = await fetch(`${first.url}/v1/coverage`, { headers: { Authorization: `Bearer ${token}` } })
  expect(await answer.json()).toEqual({ series: [] })
  expect((await fetch(`${first.url}/`)).status).toBe(401)
  if (hasPython) expect(inPython(dataDir)).toMatch(/kind|study/i)
  child.interrupt('SIGTERM')
  const { status, stdout } = await child.ended
  expect([status, stdout.trim().split('\n').length]).toEqual([0, 1])
  expect(existsSync(first.tokenFile)).toBe(false)
  expect((await run(['serve', '--api', '--open'])).status).toBe(2)
})
