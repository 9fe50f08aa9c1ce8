#!/usr/bin/env node
/** Writes docs/CLAIMS.md, the claims of SECURITY.md with the test that attacks each, from test/security/claims.json. */
import { readFileSync, writeFileSync } from 'node:fs'
import { at } from './project.mjs'

const HEAD = `# Claims of security

Written by \`npm run claims\` from \`test/security/claims.json\`. Each file exists below \`test/\` and holds a test of that name; “…” goes on with the
claim above it. [SECURITY.md](../SECURITY.md) says what they protect.

| claim | attacked in | by the test |
|---|---|---|
`

export const claimsFile = at('docs', 'CLAIMS.md')

export const readClaims = () => JSON.parse(readFileSync(at('test', 'security', 'claims.json'), 'utf8'))

export const claimsText = () =>
  HEAD +
  readClaims()
    .map(({ claim, file, test }) => `| ${claim} | \`${file}\` | ${test} |\n`)
    .join('')

if (process.argv[1] === import.meta.filename) writeFileSync(claimsFile, claimsText())
