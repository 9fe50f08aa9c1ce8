import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const module = join(import.meta.dirname, '..', '..', '..', 'electron', 'core', 'environmentSecrets.ts')

test.skipIf(process.platform !== 'linux')('a secret of the environment is neither inherited nor shown in /proc', () => {
  const script = `
    import { readFileSync } from 'node:fs'
    import { spawnSync } from 'node:child_process'
    import { takeEnvironmentSecrets } from ${JSON.stringify(module)}
    const { environmentKey } = takeEnvironmentSecrets()
    const shown = readFileSync('/proc/self/environ', 'utf8')
    const child = spawnSync('env', { encoding: 'utf8' }).stdout
    console.log(JSON.stringify([environmentKey, shown.includes('canary'), shown.includes('BESIDE=kept'), child.includes('canary')]))`
  const env = {
    PATH: process.env.PATH,
    PERPSCOPE_API_KEY: 'canary-5d11',
    PERPSCOPE_PORTFOLIO_KEY: 'canary-7',
    PERPSCOPE_STORE_KEY: 'canary:x',
    BESIDE: 'kept',
  }
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
    env,
    encoding: 'utf8',
  })
  expect(JSON.parse(stdout || stderr)).toEqual(['canary-5d11', false, true, false])
})
