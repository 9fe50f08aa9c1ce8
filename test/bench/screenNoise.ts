/**
 * Counts the worlds without an effect in which a screen has a line beyond the best of noise: of 200, 2 to 8 % may.
 *
 *     node test/bench/screenNoise.ts [WORLDS]
 */
import { noiseRows } from '../fakes/screenWorld.ts'
import { runOnRows } from '../fakes/panelWorld.ts'

const worlds = Number(process.argv[2] ?? 200)
let beyond = 0
let single = 0
for (let world = 0; world < worlds; world++) {
  const rows = noiseRows({ seed: 5000 + world, bars: 4000, columns: 40 })
  const result = runOnRows(rows, { kind: 'screen', horizons: [1, 12] })
  if (result.kind !== 'screen') throw new Error('no screen')
  if (result.tests.family > 0) beyond++
  if (result.cells.some(({ test }) => test.p <= 0.025)) single++
  if ((world + 1) % 10 === 0) console.log(`${world + 1} worlds: ${beyond} beyond noise, ${single} with a p ≤ 0.025`)
}
const share = beyond / worlds
console.log(
  `${(100 * share).toFixed(1)} % have a family p ≤ 0.05; ${((100 * single) / worlds).toFixed(1)} % a single p ≤ 0.025`,
)
process.exitCode = worlds >= 200 && (share < 0.02 || share > 0.08) ? 1 : 0
