import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { MachinePolicy } from '#shared/contract/areas/policy.ts'
import { createApp } from '#core/app.ts'
import { createFileLog } from '#core/log/fileLog.ts'
import { AppError } from '#shared/contract/errors.ts'
import { run } from '../../electron/cli/run.ts'
import { dataFolder } from '../fakes/dataFolder.ts'
import { fakeHost, fakePorts } from '../fakes/fakePorts.ts'

const policy: MachinePolicy = {
  file: '/etc/perpscope/policy.json',
  rules: { metricsUrl: 'https://metrics.corp.example', proxy: 'direct', forbidUpdates: true },
}

function openCore(dataDir: string, inForce: MachinePolicy | null) {
  const app = createApp({ ...fakePorts(), log: createFileLog(dataDir) }, { version: '1.0.0', dataDir, policy: inForce })
  onTestFinished(() => app.close())
  return app.clientFor(fakeHost())
}

const elsewhere = {
  name: 'Other',
  metricsUrl: 'https://other.example',
  portfolioUrl: '',
  catalogLocation: '',
  tier: null,
}

test('a window learns what the policy sets, and its settings and connections follow it', async () => {
  const dataDir = dataFolder()
  const { id } = await openCore(dataDir, null).call('connections.add', elsewhere)
  const client = openCore(dataDir, policy)
  expect((await client.call('app.info', {})).policy).toEqual(policy)
  await expect(client.call('settings.change', { updateFeed: 'https://feed.example' })).rejects.toMatchObject({
    code: 'policy',
    detail: '/etc/perpscope/policy.json sets “updateFeed”.',
  })
  await expect(client.call('connections.add', { ...elsewhere, name: 'Third' })).rejects.toMatchObject({
    code: 'policy',
  })
  const added = await client.call('connections.add', { ...elsewhere, name: 'Mine', metricsUrl: '' })
  expect(added.metricsUrl).toBe('https://metrics.corp.example')
  // A connection that was added before the policy existed is not contacted.
  await expect(client.call('connections.test', { id })).rejects.toMatchObject({ code: 'policy' })
  expect(await client.call('app.diagnostics', {})).toContain('Policy: /etc/perpscope/policy.json')
})

test('the command line follows it, and says so where its file is unusable', async () => {
  const perpscope = async (args: readonly string[], readPolicy: () => MachinePolicy | null) => {
    let stderr = ''
    const status = await run([...args, '--data-dir', dataDir], {
      stdout: { write: () => true },
      stderr: { write: (text: string) => void (stderr += text) },
      env: {},
      signal: new AbortController().signal,
      readPolicy,
    })
    return { status, stderr }
  }
  const dataDir = dataFolder()
  expect(await perpscope(['connection', 'list', '--proxy', 'http://p:1'], () => policy)).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('/etc/perpscope/policy.json sets the proxy'),
  })
  const broken = () => {
    throw new AppError('policy', '/etc/perpscope/policy.json cannot be used: it is not JSON.')
  }
  expect(await perpscope(['connection', 'list'], broken)).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('Ask the administrator of this machine'),
  })
})

test('every export is logged with its place', async () => {
  const dataDir = dataFolder()
  await openCore(dataDir, null).call('requests.export', {})
  expect(readFileSync(join(dataDir, 'logs', 'perpscope.log'), 'utf8')).toMatch(
    /exported .*requests.*\.csv to the browser \(requests\.export, command line\)/,
  )
})
