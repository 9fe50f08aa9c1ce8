/**
 * Writes the JSON Schema of what the program gives to others, as the compiler sees its types: of what each command
 * prints with `--json` (what it gives to `out.result` and `out.record`), and of what the local API answers. A test keeps
 * the files equal to the types, and others hold the program to them. Run it after changing what is printed or answered.
 */
import { writeFileSync } from 'node:fs'
import { answerSchemas } from './schemas/answerSchemas.mjs'
import { resultSchemas } from './schemas/resultSchemas.mjs'

const files = {
  'electron/cli/schemas/resultSchemas.json': resultSchemas,
  'electron/localApi/schemas/answerSchemas.json': answerSchemas,
}

for (const [file, write] of Object.entries(files)) {
  const text = await write()
  writeFileSync(new URL(`../${file}`, import.meta.url), text)
  console.log(`Wrote ${file}: ${text.length} bytes`)
}
