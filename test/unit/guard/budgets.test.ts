import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { limitsOfSize } from '#core/downloads/guardedValidation.ts'
import { limitsForBytes } from '#core/guard/sizeLimits.ts'
import { WORK_MEMORY_BYTES } from '#core/guard/workPool.ts'

const MEGABYTE = 2 ** 20
const security = readFileSync(join(import.meta.dirname, '..', '..', '..', 'SECURITY.md'), 'utf8')

/** Reads the budget of a process from SECURITY.md. */
function statedOf(name: string) {
  const line = security.split('\n').find((each) => each.startsWith(`| ${name} |`))!
  const [, , memory, perByte, most, time] = line.split('|').map((cell) => cell.trim())
  const numbers = time.match(/[\d.]+(?= s)/g)!.map(Number)
  return {
    megabytes: parseInt(memory, 10),
    perByte: parseInt(perByte, 10),
    mostGigabytes: parseInt(most, 10),
    seconds: numbers[0],
    secondsPerMegabyte: numbers[1],
  }
}

function budgetOf(limits: (bytes: number) => { cpuMs: number; memoryBytes: number }) {
  // The first megabyte is free in some budgets, so the growth is measured from the second to the third.
  const [none, second, third, huge] = [0, 2 * MEGABYTE, 3 * MEGABYTE, 2 ** 40].map(limits)
  return {
    megabytes: Math.round(none.memoryBytes / MEGABYTE),
    perByte: (third.memoryBytes - second.memoryBytes) / MEGABYTE,
    mostGigabytes: huge.memoryBytes / 2 ** 30,
    seconds: none.cpuMs / 1000,
    secondsPerMegabyte: (third.cpuMs - second.cpuMs) / 1000,
  }
}

test.each([
  ['validation of a file', limitsOfSize],
  ['JSON of more than a megabyte', (bytes: number) => limitsForBytes('json', bytes)],
  ['import of raw events', (bytes: number) => limitsForBytes('import', bytes)],
  ['metrics from raw events', (bytes: number) => limitsForBytes('compute', bytes)],
])('%s has the budget that SECURITY.md states', (name, limits) => {
  expect(budgetOf((bytes) => limits(bytes))).toEqual(statedOf(name))
})

test('studies have the memory that SECURITY.md states', () => {
  expect(security).toContain(`| studies and tested portfolios in the desktop app | ${WORK_MEMORY_BYTES / 2 ** 30} GB |`)
})
