import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createApp } from '#core/app.ts'
import { startWebHost, type WebHost } from '../../electron/web/server.ts'
import { fakePorts } from '../fakes/fakePorts.ts'

/** Browser host with a small page and an empty data folder, and the faults that it logged. */
export interface FuzzHost extends WebHost {
  faults: string[]
}

export async function startFuzzHost(): Promise<FuzzHost> {
  const folder = mkdtempSync(join(tmpdir(), 'perpscope-fuzz-'))
  const rendererDir = join(folder, 'renderer')
  mkdirSync(rendererDir)
  writeFileSync(join(rendererDir, 'index.html'), 'page')
  const app = createApp(fakePorts(), { version: '0.0.0', dataDir: join(folder, 'data'), offline: true })
  const faults: string[] = []
  const host = await startWebHost({
    app,
    port: 0,
    rendererDir,
    incomingDir: join(folder, 'incoming'),
    onFault: (message, thrown) => faults.push(`${message}: ${thrown instanceof Error ? thrown.stack : String(thrown)}`),
  })
  return {
    ...host,
    faults,
    async close() {
      await host.close()
      await app.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Removes and returns the faults that were logged since the last call. */
export const takeFaults = ({ faults }: FuzzHost): string[] => faults.splice(0)
