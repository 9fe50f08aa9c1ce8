import { readFileSync } from 'node:fs'

// The package file is two folders up, both from the sources and from the built program.
const description = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  version: string
}

export const version = description.version
