#!/usr/bin/env node
/**
 * Makes a data folder with a released version; a test then checks that later versions can still read the folder. `node
 * scripts/dataFolder.mjs CHECKOUT VERSION` writes test/fixtures/dataFolders/VERSION.gz and VERSION.expected.json.
 * CHECKOUT is a checkout of that version with its packages installed; its code fills the folder and reads back the
 * expected answers.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { packFolder } from './dataFolder/archive.mjs'
import { describeFolder } from './dataFolder/describe.mjs'
import { fillFolder } from './dataFolder/fill.mjs'
import { openOldVersion } from './dataFolder/oldVersion.mjs'
import { at } from './project.mjs'

async function make(checkout, version) {
  const dataDir = mkdtempSync(join(tmpdir(), 'perpscope-released-'))
  const old = await openOldVersion(resolve(checkout), dataDir, version)
  try {
    await fillFolder(old)
    rmSync(join(dataDir, 'logs'), { recursive: true, force: true })
    const packed = packFolder(dataDir)
    const target = (suffix) => at('test', 'fixtures', 'dataFolders', `${version}${suffix}`)
    writeFileSync(target('.gz'), packed)
    writeFileSync(target('.expected.json'), `${JSON.stringify(await describeFolder(old), null, 1)}\n`)
    console.log(`${target('.gz')}: ${packed.length} bytes`)
  } finally {
    await old.close()
    rmSync(dataDir, { recursive: true, force: true })
  }
}

const [checkout, version] = process.argv.slice(2)
if (!checkout || !/^\d+\.\d+\.\d+$/.test(version ?? '')) {
  console.error('Name a checkout and its version: node scripts/dataFolder.mjs ../perpscope-0.1.0 0.1.0')
  process.exitCode = 2
} else await make(checkout, version)
