import fc from 'fast-check'
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parquetWriteBuffer } from 'hyparquet-writer'
import { expect, test } from 'vitest'
import { convertOwn } from '#core/own/convertOwn.ts'
import { temporaryFolder } from '../../fakes/temporaryFolder.ts'

let count = 0
function convert(root: string, name: string, content: string | Uint8Array, isEvents: boolean) {
  const folder = join(root, String(count++))
  mkdirSync(folder)
  const path = join(root, name)
  writeFileSync(path, content)
  const choices = { isEvents, knownAfter: '0d', units: {} }
  return convertOwn({ files: [{ path, name }], paths: [path], choices, folder })
}

/** Rows over two months and three symbols, each time and symbol once. */
const rows = fc.uniqueArray(
  fc.record({
    second: fc.oneof(
      fc.integer({ min: 0, max: 5_000_000 }),
      fc.nat({ max: 80 }).map((hours) => hours * 3600),
    ),
    symbol: fc.constantFrom('A', 'B', 'C'),
    value: fc.integer(),
  }),
  { minLength: 2, maxLength: 200, selector: ({ second, symbol }) => `${second} ${symbol}` },
)
const MAY_MS = Date.UTC(2026, 4, 20)

test('rows become the same files in whatever order they are written', async () => {
  const root = temporaryFolder()
  await fc.assert(
    fc.asyncProperty(
      rows.chain((all) => fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length }))),
      fc.boolean(),
      async ([all, shuffled], isEvents) => {
        const converted = async (some: typeof all) => {
          const lines = some.map(({ second, symbol, value }) => `${MAY_MS / 1000 + second},${symbol},${value}`)
          try {
            // A first row of each symbol keeps the order of the symbols.
            const first = ['A', 'B', 'C'].map((symbol) => `${MAY_MS / 1000 - 7200},${symbol},0`)
            return (await convert(root, 'rows.csv', `${['ts,symbol,v', ...first, ...lines].join('\n')}\n`, isEvents))
              .parts
          } catch (thrown) {
            // A grid is refused with the first line that is off it, which depends on their order.
            return String((thrown as { code?: string }).code)
          }
        }
        const inOrder = all.toSorted((a, b) => a.second - b.second)
        expect(await converted(shuffled)).toEqual(await converted(inOrder))
      },
    ),
    { numRuns: 60 },
  )
})

test('of rows with one time, the last one stands, wherever they are', async () => {
  const root = temporaryFolder()
  const time = (hour: number) => `2026-03-01T${String(hour).padStart(2, '0')}:00Z`
  const lines = ['time,v', `${time(5)},1`, `${time(2)},2`, `${time(5)},3`, `${time(3)},4`, `${time(2)},5`]
  const twice = await convert(root, 'twice.csv', `${lines.join('\n')}\n`, false)
  const once = ['time,v', `${time(2)},5`, `${time(3)},4`, `${time(5)},3`]
  expect(twice.record).toMatchObject({ rows: 3, duplicates: 2 })
  expect(twice.parts).toEqual((await convert(root, 'once.csv', `${once.join('\n')}\n`, false)).parts)
})

test('events of a Parquet file are the same only if every cell is', async () => {
  const root = temporaryFolder()
  const BIG = 2n ** 60n
  const events = [
    { time: 0, id: BIG, isBuy: true, side: 'a', price: 1 },
    { time: 0, id: BIG + 1n, isBuy: true, side: 'a', price: 1 },
    { time: 0, id: BIG, isBuy: false, side: 'a', price: 1 },
    { time: 0, id: BIG, isBuy: true, side: 'b', price: 1 },
    { time: 0, id: BIG, isBuy: true, side: null, price: 1 },
    { time: 0, id: BIG, isBuy: true, side: 'a', price: 2 },
    { time: 0, id: BIG, isBuy: true, side: 'a', price: null },
    { time: 1, id: BIG, isBuy: true, side: 'a', price: 1 },
    // These two stand twice.
    { time: 0, id: BIG, isBuy: true, side: 'a', price: 1 },
    { time: 0, id: BIG, isBuy: true, side: 'a', price: null },
  ]
  const column = <Value>(of: (event: (typeof events)[number]) => Value) => events.map(of)
  const content = new Uint8Array(
    parquetWriteBuffer({
      columnData: [
        { name: 'time', data: column(({ time }) => new Date(MAY_MS + time)), type: 'TIMESTAMP', nullable: false },
        { name: 'id', data: column(({ id }) => id), type: 'INT64', nullable: false },
        { name: 'is_buy', data: column(({ isBuy }) => isBuy), type: 'BOOLEAN', nullable: false },
        { name: 'side', data: column(({ side }) => side), type: 'STRING' },
        { name: 'price', data: column(({ price }) => price), type: 'DOUBLE' },
      ],
    }),
  )
  const { record } = await convert(root, 'events.parquet', content, true)
  expect(record).toMatchObject({ rows: 8, duplicates: 2 })
})

test('a file of a folder that is no part of the dataset is named, with the one that has its times', async () => {
  const root = temporaryFolder()
  const files = [
    { name: 'a.csv', text: 'time,v\n2026-03-01,1\n2026-03-02,1\n' },
    { name: 'readme.txt', text: 'hello\n' },
  ].map(({ name, text }) => {
    writeFileSync(join(root, name), text)
    return { path: join(root, name), name }
  })
  const choices = { isEvents: false, knownAfter: '0d', units: {} }
  await expect(convertOwn({ files, paths: [root], choices, folder: temporaryFolder() })).rejects.toMatchObject({
    detail:
      'readme.txt: it has no column time, where a.csv has its times; its columns are hello. Files of one dataset have the same columns.',
  })
})

test('a file that changes while it is read is refused', async () => {
  const root = temporaryFolder()
  const path = join(root, 'rows.csv')
  writeFileSync(path, 'time,v\n2026-03-01,1\n2026-03-02,1\n')
  const choices = { isEvents: false, knownAfter: '0d', units: {} }
  let isGrown = false
  const grow = () => {
    if (!isGrown) appendFileSync(path, '2026-03-03,1\n')
    isGrown = true
  }
  const converting = convertOwn(
    { files: [{ path, name: 'rows.csv' }], paths: [path], choices, folder: temporaryFolder() },
    grow,
  )
  await expect(converting).rejects.toMatchObject({
    detail: 'rows.csv: it changed while it was read; try again when it is written whole.',
  })
})
