import type { OptionTable } from '../command.ts'
import { studyText as text } from '../text/commands.ts'
import { readOnlyText } from '../text/terminalTexts.ts'

const panel = {
  panel: { type: 'path', value: 'FILE', reads: true, description: text.run.options.panel },
} as const

export const runOptions = {
  ...panel,
  against: { type: 'path', value: 'FILE', reads: true, description: text.run.options.against },
  out: { type: 'path', value: 'DIR', description: text.run.options.out },
  'open-holdout': { type: 'flag', description: text.run.options['open-holdout'] },
  bars: { type: 'flag', description: text.run.options.bars },
  part: { type: 'text', value: 'K/N', description: text.run.options.part },
  'no-record': { type: 'flag', description: readOnlyText.noRecord },
} as const satisfies OptionTable

export const panelOptions = {
  ...panel,
  out: { type: 'path', value: 'FILE', required: true, description: text.panel.options.out },
} as const satisfies OptionTable

export const compareOptions = {
  test: { type: 'text', value: 'ID', description: text.compare.options.test },
  blend: { type: 'text', value: 'ID', description: text.compare.options.blend },
  portfolio: { type: 'text', value: 'P', description: text.compare.options.portfolio },
  ticker: { type: 'text', value: 'T', description: text.compare.options.ticker },
} as const satisfies OptionTable

export const newOptions = {
  exchange: { type: 'list', value: 'VENUE', description: text.new.options.exchange },
} as const satisfies OptionTable
