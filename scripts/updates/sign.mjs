#!/usr/bin/env node
/**
 * Signs the update manifests of a release: `node scripts/updates/sign.mjs FILE…` writes `FILE.sig` next to each file.
 * The private Ed25519 key of the publisher (PKCS #8, PEM) comes from PERPSCOPE_UPDATE_PRIVATE_KEY. `--new-key` prints a
 * new pair of keys.
 */
import { createPrivateKey, generateKeyPairSync, sign } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'

/** Returns the signature of a manifest as base64. @param {string} privateKey PEM */
export const signManifest = (text, privateKey) =>
  sign(null, Buffer.from(text), createPrivateKey(privateKey)).toString('base64')

function printNewKey() {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  console.log(`PERPSCOPE_UPDATE_KEY=${publicKey.export({ type: 'spki', format: 'der' }).toString('base64')}`)
  console.log(privateKey.export({ type: 'pkcs8', format: 'pem' }))
}

function main(args) {
  if (args[0] === '--new-key') return printNewKey()
  const privateKey = process.env.PERPSCOPE_UPDATE_PRIVATE_KEY
  if (!privateKey) throw new Error('PERPSCOPE_UPDATE_PRIVATE_KEY is not set')
  for (const file of args) writeFileSync(`${file}.sig`, `${signManifest(readFileSync(file, 'utf8'), privateKey)}\n`)
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) main(process.argv.slice(2))
