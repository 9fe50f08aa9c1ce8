import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TradesDay } from './benchData.ts'

const commandLine = join(import.meta.dirname, '../../electron/cli/index.ts')
const tellPeak = new URL('./tellPeak.ts', import.meta.url).href

/** The most memory that one run of the command line ever held, threads included. */
export async function peakMegabytes({ folder, exchange, symbol, day }: TradesDay, datasets: string[]): Promise<number> {
  const out = mkdtempSync(join(tmpdir(), 'perpscope-bench-'))
  const options = {
    dataset: datasets.join(),
    exchange,
    symbol,
    interval: '1m',
    timestamp: 'exchange',
    start: day,
    end: day,
    raw: folder,
    out,
  }
  const args = Object.entries(options).flatMap(([name, value]) => [`--${name}`, value])
  const child = spawn(process.execPath, ['--import', tellPeak, commandLine, 'compute', ...args], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let said = ''
  for await (const part of child.stderr) said += String(part)
  rmSync(out, { recursive: true })
  const peaks = [...said.matchAll(/peak (\d+)/g)].map(([, kilobytes]) => Number(kilobytes))
  if (peaks.length === 0 || child.exitCode) throw new Error(`the command line failed: ${said}`)
  return Math.max(...peaks) / 1024
}
