import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { at } from '../../../scripts/project.mjs'
import { moduleFile } from '../../../scripts/wasm/moduleFile.mjs'

test('the CSV module in the sources is the one that its code compiles to', async () => {
  expect(await moduleFile(), 'run: npm run wasm').toBe(
    readFileSync(at('electron/core/export/csvRowsModule.ts'), 'utf8'),
  )
})
