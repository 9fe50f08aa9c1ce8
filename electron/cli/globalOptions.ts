import type { OptionTable } from './command.ts'

/** Every command takes these, before or after its name. */
export const globalOptions = {
  'data-dir': {
    type: 'path',
    value: 'DIR',
    words: 'The data folder (default: the app’s own; env PERPSCOPE_DATA_DIR).',
  },
  connection: { type: 'text', value: 'NAME', words: 'Use this connection instead of the active one.' },
  json: { type: 'flag', words: 'Print one JSON document, or JSON Lines where the command streams.' },
  offline: { type: 'flag', words: 'Ask no service; answer from the cache only.' },
  quiet: { type: 'flag', words: 'No progress and no notes on stderr; errors still show.' },
  help: { type: 'flag', words: 'Show help for perpscope or for the command, and exit.' },
  version: { type: 'flag', words: 'Print the version and exit.' },
} as const satisfies OptionTable

export const shortOptions: Readonly<Record<string, keyof typeof globalOptions>> = { h: 'help', q: 'quiet' }
