import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { beforeEach, expect, it, vi } from 'vitest'
import { startUtilityProcess } from '../../electron/main/utilityProcess.ts'
import { app, resetDesktop, utilityProcess } from '../fakes/electron.ts'
import { temporaryFolder } from '../fakes/temporaryFolder.ts'

vi.mock('electron', () => import('../fakes/electron.ts'))

beforeEach(() => {
  resetDesktop()
  app.beReady()
})

/**
 * Starts a guarded process that sends every message back. @returns the process, and the fake utility process under it
 */
function startEcho() {
  const path = join(temporaryFolder(), 'echo.mjs')
  writeFileSync(path, "process.on('message', (message) => process.send(message))")
  const fork = vi.spyOn(utilityProcess, 'fork')
  const guarded = startUtilityProcess(pathToFileURL(path), 'Perpscope echo')
  const child = fork.mock.results[0].value as ReturnType<typeof utilityProcess.fork>
  vi.restoreAllMocks()
  return { guarded, child }
}

it('throws nothing into the app when V8 gives up in the process, and tells of its end', async () => {
  const { guarded, child } = startEcho()
  const ended = new Promise<void>((resolve) => guarded.onEnd(resolve))
  // Electron emits this event before the process ends, for example when memory runs out.
  expect(() => child.emit('error', 'FatalError', 'NewSpace::EnsureCapacity', '{}')).not.toThrow()
  child.kill('SIGKILL')
  await ended
})

it('ends a process that is still being started', async () => {
  const { guarded, child } = startEcho()
  const exited = once(child, 'exit')
  guarded.kill()
  expect(await exited).toContain('SIGKILL')
})
