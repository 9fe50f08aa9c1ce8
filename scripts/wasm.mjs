#!/usr/bin/env node
/** Recompiles scripts/wasm/csvRows.as to the module that exports of CSV use; a test checks that it is up to date. */
import { writeFileSync } from 'node:fs'
import { at } from './project.mjs'
import { moduleFile } from './wasm/moduleFile.mjs'

writeFileSync(at('electron', 'core', 'export', 'csvRowsModule.ts'), await moduleFile())
