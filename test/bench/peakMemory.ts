import { spawn } from 'node:child_process'
import { join } from 'node:path'

const commandLine = join(import.meta.dirname, '../../electron/cli/index.ts')
const tellPeak = new URL('./tellPeak.ts', import.meta.url).href

/** Returns the peak memory of one run of the command line, threads included. */
export async function peakMegabytes(args: readonly string[]): Promise<number> {
  const child = spawn(process.execPath, ['--import', tellPeak, commandLine, ...args], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let said = ''
  for await (const part of child.stderr) said += String(part)
  const peaks = [...said.matchAll(/peak (\d+)/g)].map(([, kilobytes]) => Number(kilobytes))
  if (peaks.length === 0 || child.exitCode) throw new Error(`the command line failed: ${said}`)
  return Math.max(...peaks) / 1024
}

/** Command-line arguments: a command and its options by name. */
export const withOptions = (command: string, options: Record<string, string>): string[] => [
  command,
  ...Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]),
]
