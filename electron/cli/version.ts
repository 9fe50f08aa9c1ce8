import { readFileSync } from 'node:fs'

// The package file is two folders above this file, both in the sources and in the built program.
const packageFile = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  version: string
}

export const version = packageFile.version
