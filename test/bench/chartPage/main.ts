import '../../../renderer/theme/base.css'
import { applyTheme, applyDensity } from '../../../renderer/theme/applyTheme.ts'
import { columnNames } from './columns.ts'
import { ourChart } from './ours.ts'
import { peers, type BenchChart } from './peers.ts'

applyTheme('dark')
applyDensity('compact')

const place = (id: string) => document.getElementById(id)!

/** Measures the time from a change until its pixels can be read back, which forces all painting to finish. */
async function paintingMs(id: string, change: () => Promise<void> | void): Promise<number> {
  await new Promise((resolve) => requestAnimationFrame(resolve))
  const start = performance.now()
  await change()
  await Promise.resolve()
  for (const canvas of place(id).querySelectorAll('canvas')) canvas.getContext('2d')!.getImageData(0, 0, 1, 1)
  return performance.now() - start
}

let turn = 0
/** Returns a different range each time, 40 % of the year. */
function nextRange() {
  const startMs = Date.UTC(2025, 1 + (turn++ % 6))
  return { startMs, endMs: startMs + 146 * 86_400_000 }
}

interface Contender {
  show(): Promise<number>
  zoom(): Promise<number>
}

export interface ChartBench {
  start(peerName: string): Promise<void>
  ours: Contender
  peer: Contender
}

function contender(id: string, chart: BenchChart): Contender {
  let at = 0
  return {
    show: () => paintingMs(id, () => chart.show(columnNames[at++ % columnNames.length])),
    zoom: () => paintingMs(id, () => chart.zoom?.(nextRange())),
  }
}

/** Functions that the benchmark calls in this page after it has added the peer's script. */
const bench = {
  async start(peerName: string) {
    bench.ours = contender('ours', await ourChart(place('ours')))
    bench.peer = contender('peer', await peers[peerName](place('peer')))
  },
} as ChartBench
Object.assign(window, { bench })
