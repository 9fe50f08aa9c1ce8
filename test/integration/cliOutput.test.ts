import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, existsSync, openSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { expect, it } from 'vitest'
import { compileCacheEnv } from '../fakes/compileCacheEnv.ts'
import { temporaryFolder } from '../fakes/temporaryFolder.ts'
import { program } from '../fakes/commandLine.ts'

const full = '/dev/full'

it('ends with status 1 and a sentence when its output cannot be written', async (context) => {
  if (!existsSync(full)) context.skip('this system has no device that is always full')
  const stdout = openSync(full, 'w')
  const env = { PATH: process.env.PATH, HOME: temporaryFolder(), ...compileCacheEnv }
  const child = spawn(process.execPath, [program, '--version'], { env, stdio: ['ignore', stdout, 'pipe'] })
  closeSync(stdout)
  const [said, [status]] = await Promise.all([text(child.stderr!), once(child, 'close') as Promise<[number]>])
  expect(status).toBe(1)
  expect(said).toMatch(/^The output could not be written: .*no space left.*\n$/)
})
