/** Describes the machine and the versions that a benchmark ran with. */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs'
import { cpus, loadavg, release, totalmem } from 'node:os'
import { join } from 'node:path'
import { at, findChromium } from '../project.mjs'
import { peerVersion } from './peerPackages.mjs'

const packageVersion = (name) => JSON.parse(readFileSync(at('node_modules', name, 'package.json'), 'utf8')).version

function firstLineOf(program, ...args) {
  try {
    return execFileSync(program, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
      .split('\n')[0]
      .trim()
  } catch {
    return null
  }
}

const bytesBelow = (folder) =>
  existsSync(folder)
    ? readdirSync(folder, { recursive: true })
        .map((name) => statSync(join(folder, name)))
        .filter((entry) => entry.isFile())
        .reduce((sum, { size }) => sum + size, 0)
    : 0

export function describeMachine() {
  const processors = cpus()
  const chromium = findChromium()
  return {
    machine: {
      system: `${process.platform} ${process.arch} ${release()}`,
      processors: `${processors.length} × ${processors[0]?.model ?? 'unknown'}`,
      memoryGb: Math.round(totalmem() / 1e9),
    },
    versions: {
      perpscope: JSON.parse(readFileSync(at('package.json'), 'utf8')).version,
      node: process.versions.node,
      duckdb: packageVersion('@duckdb/node-api'),
      hyparquet: packageVersion('hyparquet'),
      uplot: packageVersion('uplot'),
      echarts: peerVersion('echarts'),
      lightweightCharts: peerVersion('lightweight-charts'),
      curl: firstLineOf('curl', '--version')?.split(' ')[1] ?? null,
      chromium: chromium ? (firstLineOf(chromium, '--version', '--headless', '--no-sandbox') ?? 'unknown') : null,
    },
    sizes: {
      benchDataBytes: bytesBelow(at('.cache', 'bench')),
      builtWindowBytes: bytesBelow(at('out', 'renderer')),
      builtCoreBytes: bytesBelow(at('out', 'main')),
    },
  }
}

/** Returns the system's load average over the last minute, because it explains most differences between two runs. */
export const loadNow = () => Number(loadavg()[0].toFixed(1))
