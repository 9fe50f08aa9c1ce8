import { packedFile, unpackedResult } from '#core/downloads/packedValidation.ts'
import { deserialize, serialize } from 'node:v8'
import { expect, test } from 'vitest'

test('what a guarded process found in a file arrives as it was, to the sign of a zero', () => {
  const columns = [
    { name: 'time', type: 'timestamp[us, UTC]', nulls: 0, min: 1_785_542_400_000.001, max: 1_785_628_740_000 },
    { name: 'side\n"x"\ud800', type: 'text', nulls: 3, min: null, max: null },
    { name: 'price', type: 'double', nulls: 7, min: -0, max: 1e308 },
  ]
  const grid = { rows: 9, firstTimeMs: 1, lastTimeMs: 2, stepMs: null, duplicateTimes: 4, changedAtMs: 5 }
  const file = { sizeBytes: 12, sha256: 'ab', facts: { ...grid, columns } }
  const received = deserialize(serialize(packedFile(file))) as ReturnType<typeof packedFile>
  expect(unpackedResult(received)).toEqual({ validated: file })
})
