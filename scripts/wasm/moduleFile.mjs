/** Compiles csvRows.as with AssemblyScript to the TypeScript file of the module, so that the sources run without a build. */
import { readFileSync } from 'node:fs'
import asc from 'assemblyscript/asc'
import { at } from '../project.mjs'

const SOURCE = 'csvRows.ts'
const MODULE = 'csvRows.wasm'
const options = '-O3 --importMemory --noExportMemory --runtime stub --use abort= --enable simd'.split(' ')

/** Returns the text of electron/core/export/csvRowsModule.ts. */
export async function moduleFile() {
  let bytes = new Uint8Array()
  const { error, stderr } = await asc.main([SOURCE, ...options, '-o', MODULE], {
    readFile: (name) => (name === SOURCE ? readFileSync(at('scripts', 'wasm', 'csvRows.as'), 'utf8') : null),
    writeFile: (_name, contents) => void (bytes = contents),
    listFiles: () => [],
  })
  if (error) throw new Error(`${error.message}\n${stderr}`)
  const base64 = Buffer.from(bytes).toString('base64')
  return `/** WebAssembly of scripts/wasm/csvRows.as in base64; \`npm run wasm\` writes this file. */\nexport const csvRowsModule =\n  '${base64}'\n`
}
