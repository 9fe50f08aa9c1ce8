import { globalOptionsText as text } from './text/commands.ts'
import type { OptionTable } from './command.ts'

/** Options of every command, accepted before and after the command's name. */
export const globalOptions = {
  'data-dir': {
    type: 'path',
    value: 'DIR',
    description: text.options['data-dir'],
  },
  connection: { type: 'text', value: 'NAME', description: text.options.connection },
  json: { type: 'flag', description: text.options.json },
  offline: { type: 'flag', description: text.options.offline },
  proxy: { type: 'text', value: 'URL', description: text.options.proxy },
  'ca-file': { type: 'path', value: 'FILE', description: text.options['ca-file'] },
  quiet: { type: 'flag', description: text.options.quiet },
  help: { type: 'flag', description: text.options.help },
  version: { type: 'flag', description: text.options.version },
} as const satisfies OptionTable

export const shortOptions: Readonly<Record<string, keyof typeof globalOptions>> = {
  h: 'help',
  q: 'quiet',
  v: 'version',
}
