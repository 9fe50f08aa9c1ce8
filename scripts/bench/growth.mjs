/**
 * Measures how computing time grows with the size of the input, and writes the table of BENCHMARKS.md and the picture
 * docs/growth.svg.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { at } from '../project.mjs'
import { pictureOf, powerOfTen } from './growthPicture.mjs'

const ROUNDS = 3
/** Exponent above which the time grows faster than linearly: twice the size then takes more than 2.3 times as long. */
const LINEAR = 1.2
const START = '<!-- growth: written by npm run bench -- --growth -->'
const END = '<!-- growth ends -->'

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]
const digits = (value) => Number(value.toPrecision(3)).toLocaleString('en-US')
const sizeText = (size) =>
  Number.isInteger(Math.log10(size))
    ? powerOfTen(Math.log10(size))
    : `${size / 10 ** Math.floor(Math.log10(size))} × ${powerOfTen(Math.floor(Math.log10(size)))}`

async function costAt({ prepare }, size) {
  const task = await prepare(size)
  const costs = []
  for (let round = 0; round < ROUNDS; round++) costs.push(await task.measure())
  await task.close()
  return median(costs)
}

/** Computes the exponent p with which the time grows like size^p between the two largest sizes. */
function exponentOf({ sizes, costs }) {
  const [size, larger] = sizes.slice(-2)
  const [cost, more] = costs.slice(-2)
  return Math.log(more / cost) / Math.log(larger / size)
}

function tableOf(results) {
  const rows = results.map(({ name, sizeUnit, sizes, costs, exponent }) => {
    const cells = sizes.map((size, index) => `${sizeText(size)}: ${digits(costs[index])}`)
    return `| ${name} | ${sizeUnit} | ${cells.join(' | ')} | ${exponent.toFixed(2)} |`
  })
  const worse = results.filter(({ exponent }) => exponent > LINEAR)
  const verdict =
    worse.length === 0
      ? 'None of them grows faster than linearly.'
      : `Faster than linear: ${worse.map(({ name }) => name).join(', ')}.`
  return ['| work | size in | | | | | power |', '|---|---|---|---|---|---|---|', ...rows, '', verdict].join('\n')
}

/** @param {readonly import('../../test/bench/growth.ts').Growth[]} growths */
export async function measureGrowth(growths, say) {
  const results = []
  for (const growth of growths) {
    const costs = []
    for (const size of growth.sizes) costs.push(await costAt(growth, size))
    const result = { ...growth, costs, exponent: exponentOf({ ...growth, costs }) }
    results.push(result)
    say(
      `${growth.name}: ${growth.sizes.map((size, index) => `${sizeText(size)} ${digits(costs[index])} ms`).join(', ')} (power ${result.exponent.toFixed(2)})`,
    )
  }
  const file = at('BENCHMARKS.md')
  const text = readFileSync(file, 'utf8')
  const [before, rest] = text.split(START)
  const [, after] = rest.split(END)
  writeFileSync(file, `${before}${START}\n${tableOf(results)}\n${END}${after}`)
  writeFileSync(at('docs', 'growth.svg'), pictureOf(results))
}
