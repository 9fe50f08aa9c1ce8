/**
 * `npm run flows` writes docs/FLOWS.md, which lists the files that three user actions pass through. A test checks that
 * it is up to date.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { at } from './project.mjs'
import { flowsText } from './shape/flowsText.mjs'

mkdirSync(at('docs'), { recursive: true })
writeFileSync(at('docs', 'FLOWS.md'), flowsText())
