import type { OptionTable } from './command.ts'

/** Every command takes these, before or after its name. */
export const globalOptions = {
  'data-dir': {
    type: 'path',
    value: 'DIR',
    description: 'The data folder (default: the app’s own; env PERPSCOPE_DATA_DIR).',
  },
  connection: { type: 'text', value: 'NAME', description: 'Use this connection instead of the active one.' },
  json: { type: 'flag', description: 'Print one JSON document, or JSON Lines where the command streams.' },
  offline: { type: 'flag', description: 'Ask no service; answer from the cache only.' },
  quiet: { type: 'flag', description: 'No progress and no notes on stderr; errors still show.' },
  help: { type: 'flag', description: 'Show help for perpscope or for the command, and exit.' },
  version: { type: 'flag', description: 'Print the version and exit.' },
} as const satisfies OptionTable

export const shortOptions: Readonly<Record<string, keyof typeof globalOptions>> = { h: 'help', q: 'quiet' }
