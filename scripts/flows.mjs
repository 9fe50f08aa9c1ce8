/** `npm run flows` writes docs/FLOWS.md: which files three actions of a user go through. A test keeps it equal to the code. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { at } from './project.mjs'
import { flowsText } from './shape/flowsText.mjs'

mkdirSync(at('docs'), { recursive: true })
writeFileSync(at('docs', 'FLOWS.md'), flowsText())
