/** Prints what the forward record says of simulated analysts: `npm run calibrate -- [SEED]`. */
import { plantedSkill, supportOfSkill, withoutSkill } from './simulations.ts'

const seed = Number(process.argv[2] ?? 1)
if (!Number.isSafeInteger(seed)) throw new Error('The seed is a whole number.')

const percent = (share: number) => `${(100 * share).toFixed(1)} %`
let failures = 0
function report(what: string, figures: string, isFit: boolean): void {
  if (!isFit) failures++
  console.log(`${isFit ? 'ok    ' : 'FAILED'} ${what}: ${figures}`)
}

const ANALYSTS = 300
const TESTS_EACH = 50

for (const [what, isSkewed] of [
  ['without skill', false],
  ['without skill, up on 60 % of days', true],
] as const) {
  const { tests, positive, supported } = withoutSkill(seed, { tests: ANALYSTS * TESTS_EACH, isSkewed })
  const figures = `${tests} tests, ${percent(positive)} with a forward Sharpe ratio above 0, ${percent(supported)} ever supported`
  report(what, figures, supported <= 0.05 && (isSkewed || (positive >= 0.46 && positive <= 0.54)))
}
const { tests, slope, expectedSlope } = plantedSkill(seed, 1000)
const slopes = `${tests} tests, slope ${slope.toFixed(3)}, honest slope ${expectedSlope.toFixed(3)}`
report('skill from -1 to 3', slopes, Math.abs(slope - expectedSlope) <= (seed === 1 ? 0.1 : 0.15))
const support = supportOfSkill(seed, 1000)
report('a Sharpe ratio of 3 over two years', `${percent(support)} supported`, support >= 0.85)
process.exitCode = failures === 0 ? 0 : 1
