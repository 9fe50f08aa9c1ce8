import '../../../renderer/theme/base.css'
import { applyTheme, applyDensity } from '../../../renderer/theme/applyTheme.ts'
import { columnNames } from './columns.ts'
import { ourChart } from './ours.ts'
import { peers, type BenchChart } from './peers.ts'

applyTheme('dark')
applyDensity('compact')

const place = (id: string) => document.getElementById(id)!

/** From the change until the pixels can be read back: nothing of the painting is left for later. */
async function painted(id: string, change: () => Promise<void> | void): Promise<number> {
  await new Promise((resolve) => requestAnimationFrame(resolve))
  const start = performance.now()
  await change()
  await Promise.resolve()
  for (const canvas of place(id).querySelectorAll('canvas')) canvas.getContext('2d')!.getImageData(0, 0, 1, 1)
  return performance.now() - start
}

let turn = 0
/** Another stretch each time, 40 % of the year. */
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
    show: () => painted(id, () => chart.show(columnNames[at++ % columnNames.length])),
    zoom: () => painted(id, () => chart.zoom?.(nextRange())),
  }
}

/** What the benchmark asks of this page, once it has put in the script of the peer. */
const bench = {
  async start(peerName: string) {
    bench.ours = contender('ours', await ourChart(place('ours')))
    bench.peer = contender('peer', await peers[peerName](place('peer')))
  },
} as ChartBench
Object.assign(window, { bench })
