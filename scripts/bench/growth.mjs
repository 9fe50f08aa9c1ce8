/**
 * Measures how computing time grows with the size of the input, and writes the table of BENCHMARKS.md and the picture
 * docs/growth.svg.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { at } from '../project.mjs'
import { pictureOf, powerOfTen } from './growthPicture.mjs'

const ROUNDS = 3
/** Exponent above which growth counts as faster than linear: twice the size then takes more than 2.3 times as long. */
const MOST_LINEAR_EXPONENT = 1.2
const TABLE_START = '<!-- growth: written by npm run bench -- --growth -->'
const TABLE_END = '<!-- growth ends -->'

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]
const threeDigits = (value) => Number(value.toPrecision(3)).toLocaleString('en-US')
const sizeText = (size) =>
  Number.isInteger(Math.log10(size))
    ? powerOfTen(Math.log10(size))
    : `${size / 10 ** Math.floor(Math.log10(size))} × ${powerOfTen(Math.floor(Math.log10(size)))}`

async function medianTimeAt({ prepare }, size) {
  const task = await prepare(size)
  const timesMs = []
  for (let round = 0; round < ROUNDS; round++) timesMs.push(await task.measure())
  await task.close()
  return median(timesMs)
}

/** Computes the exponent p of a time that grows as size^p, from the two largest sizes. */
function exponentOf({ sizes, timesMs }) {
  const [size, larger] = sizes.slice(-2)
  const [timeMs, largerTimeMs] = timesMs.slice(-2)
  return Math.log(largerTimeMs / timeMs) / Math.log(larger / size)
}

function tableOf(results) {
  const rows = results.map(({ name, sizeUnit, sizes, timesMs, exponent }) => {
    const cells = sizes.map((size, index) => `${sizeText(size)}: ${threeDigits(timesMs[index])}`)
    return `| ${name} | ${sizeUnit} | ${cells.join(' | ')} | ${exponent.toFixed(2)} |`
  })
  const fasterThanLinear = results.filter(({ exponent }) => exponent > MOST_LINEAR_EXPONENT)
  const verdict =
    fasterThanLinear.length === 0
      ? 'None of them grows faster than linearly.'
      : `Faster than linear: ${fasterThanLinear.map(({ name }) => name).join(', ')}.`
  return ['| work | size in | | | | | power |', '|---|---|---|---|---|---|---|', ...rows, '', verdict].join('\n')
}

/** @param {readonly import('../../test/bench/growth.ts').Growth[]} growths */
export async function measureGrowth(growths, say) {
  const results = []
  for (const growth of growths) {
    const timesMs = []
    for (const size of growth.sizes) timesMs.push(await medianTimeAt(growth, size))
    const result = { ...growth, timesMs, exponent: exponentOf({ ...growth, timesMs }) }
    results.push(result)
    say(
      `${growth.name}: ${growth.sizes.map((size, index) => `${sizeText(size)} ${threeDigits(timesMs[index])} ms`).join(', ')} (power ${result.exponent.toFixed(2)})`,
    )
  }
  const file = at('BENCHMARKS.md')
  const text = readFileSync(file, 'utf8')
  const [before, rest] = text.split(TABLE_START)
  const [, after] = rest.split(TABLE_END)
  writeFileSync(file, `${before}${TABLE_START}\n${tableOf(results)}\n${TABLE_END}${after}`)
  writeFileSync(at('docs', 'growth.svg'), pictureOf(results))
}
