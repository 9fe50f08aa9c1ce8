#!/usr/bin/env node
/**
 * Compiles scripts/wasm/csvRows.as into a TypeScript file, so that the sources run without a build; a test checks that
 * the file is up to date.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { compileModule } from './wasm/compileModule.mjs'
import { moduleFile } from './wasm/moduleFile.mjs'
import { at } from './project.mjs'

const bytes = compileModule(readFileSync(at('scripts', 'wasm', 'csvRows.as'), 'utf8'))
writeFileSync(at('electron', 'core', 'export', 'csvRowsModule.ts'), moduleFile(bytes))
console.log(`csvRows: ${bytes.length} bytes`)
