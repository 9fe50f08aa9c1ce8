import { expect, onTestFinished, test, vi } from 'vitest'
import { run } from '../../../electron/cli/run.ts'
import { temporaryFolder } from '../../fakes/temporaryFolder.ts'

async function install(env: Record<string, string>, ...words: string[]) {
  const written = { stdout: '', stderr: '' }
  const sink = (name: keyof typeof written) => ({
    write: (text: string | Uint8Array) => (written[name] += String(text)),
  })
  const argv = ['schedule', 'install', '--print', '--platform', 'linux', ...words, '--data-dir', temporaryFolder()]
  const { signal } = new AbortController()
  const status = await run(argv, { stdout: sink('stdout'), stderr: sink('stderr'), env, signal })
  return { status, ...written }
}

test('a schedule runs when it is told to, and warns of a key that only this shell has', async () => {
  onTestFinished(() => void vi.unstubAllEnvs())
  vi.stubEnv('PERPSCOPE_API_KEY_FILE', '')
  const warned = await install({ PERPSCOPE_API_KEY: 'secret-1', PERPSCOPE_STORE_KEY: 'id:secret-2' }, '--at', '2:30')
  expect([warned.status, warned.stdout]).toEqual([0, expect.stringContaining('OnCalendar=*-*-* 02:30:00\n')])
  expect(warned.stderr).toContain('will not have PERPSCOPE_API_KEY and PERPSCOPE_STORE_KEY')
  expect(warned.stdout + warned.stderr).not.toContain('secret')
  vi.stubEnv('PERPSCOPE_API_KEY_FILE', '/keys/one')
  expect(await install({ PERPSCOPE_API_KEY: 'secret-1' }, '--every', '1d')).toMatchObject({
    stdout: expect.stringContaining('OnCalendar=*-*-* 00:05:00\n') as unknown,
    stderr: '',
  })
})
