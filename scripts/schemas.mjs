/**
 * Writes the JSON Schema of what each command prints with `--json` to electron/cli/schemas/resultSchemas.json: the types
 * of what the commands give to `out.result` and `out.record`, as the compiler sees them. A test keeps the file equal to
 * the types, and another holds the commands to it. Run it after changing what a command prints.
 */
import { writeFileSync } from 'node:fs'
import { resultSchemas } from './schemas/resultSchemas.mjs'

export const SCHEMA_FILE = 'electron/cli/schemas/resultSchemas.json'

const text = await resultSchemas()
writeFileSync(new URL(`../${SCHEMA_FILE}`, import.meta.url), text)
console.log(`Wrote ${SCHEMA_FILE}: ${text.length} bytes`)
