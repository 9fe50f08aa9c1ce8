import { PanelError } from '#shared/lab/panel.ts'

/** Refuses a panel whose columns are named twice or that has no time or symbol. */
export function checkHeader(names: readonly string[]): void {
  const twice = names.find((name, at) => names.indexOf(name) < at)
  if (twice !== undefined) throw new PanelError(`the column ${twice} is there twice.`)
  for (const needed of ['time', 'symbol']) {
    if (!names.includes(needed)) throw new PanelError(`the column ${needed} is missing.`)
  }
}

const keys = ['time', 'symbol', 'member']

/** Tells whether a formula may name this column. */
export const isValueColumn = (name: string): boolean => !keys.includes(name)
