import { expect, it, onTestFinished } from 'vitest'
import { createApp } from '#core/app.ts'
import { dataFolder } from '../fakes/dataFolder.ts'
import { fakeHost, fakePorts } from '../fakes/fakePorts.ts'

async function pageSandboxCheck(hasPageSandbox?: () => boolean) {
  const ports = { ...fakePorts(), ...(hasPageSandbox && { hasPageSandbox }) }
  const app = createApp(ports, { version: '1.0.0', dataDir: dataFolder() })
  onTestFinished(() => app.close())
  const results = await app.clientFor(fakeHost()).call('app.check', {})
  return results.find(({ name }) => name === 'Page sandbox')
}

it('the self-check of the desktop app says when its pages run without the sandbox of the system', async () => {
  expect(await pageSandboxCheck(() => true)).toMatchObject({ ok: true })
  expect(await pageSandboxCheck(() => false)).toMatchObject({
    ok: false,
    message: expect.stringContaining('--no-sandbox') as string,
  })
})

it('a browser brings its own sandbox, which the self-check does not judge', async () =>
  expect(await pageSandboxCheck()).toBeUndefined())
