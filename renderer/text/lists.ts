import { agree, firstFew, plural } from '#shared/units/plurals.ts'

/** Maximum number of problems in a message. */
const MOST_SHOWN = 5

export const listsText = {
  label: 'List',
  all: 'No list',
  noLists: 'No lists yet',
  save: {
    action: 'Save selection as list …',
    actionShort: 'Save as list …',
    result: 'Save symbols as list …',
    title: 'Save selection as list',
    name: 'Name of the list',
    count: (symbols: number) => `${plural(symbols, 'symbol')}${symbols > 1 ? ' in the order of the table' : ''}.`,
    replaces: (name: string, symbols: number) => `“${name}” already exists, with ${plural(symbols, 'symbol')}.`,
    append: 'Add to the list',
    replace: 'Replace the list',
    save: 'Save list',
    done: (name: string, symbols: number) => `List “${name}” has ${plural(symbols, 'symbol')}`,
  },
  edit: {
    new: 'New list …',
    action: 'Edit list …',
    title: (name: string) => (name === '' ? 'New list' : `Edit list “${name}”`),
    name: 'Name',
    entries: 'Symbols',
    hint: 'Symbols as you write them: BTC, btc perp, BTC@venue, a pasted column; or venue,symbol,group on a line. Alt+↑ and Alt+↓ move lines. Symbols without a venue get the venue selected above.',
    placeholder: (venue: string) => `BTC, ETH, SOL\n${venue === '' ? 'venue' : venue},perpetual-BTC-USDT:USDT,majors`,
    venue: 'Venue of symbols without one',
    count: (symbols: number) => plural(symbols, 'symbol'),
    problems: (problems: readonly string[]) =>
      `${problems.slice(0, MOST_SHOWN).join('; ')}${problems.length > MOST_SHOWN ? `; ${plural(problems.length - MOST_SHOWN, 'more line', 'more lines')}` : ''}`,
    pasted: (symbols: number) => `Pasted ${plural(symbols, 'symbol')}`,
    open: 'Symbols to choose',
    notKnown: (name: string, venue: string, hasNearest: boolean) =>
      `“${name}” is not a symbol of ${venue}.${hasNearest ? ' Nearest:' : ''}`,
    moreOpen: (names: number) => `and ${plural(names, 'more name', 'more names')}`,
    which: (name: string) => `Which “${name}”?`,
    unknown: (symbols: readonly string[]) =>
      `This connection does not know ${firstFew(symbols)}. ${agree(symbols.length, 'It stays', 'They stay')} in the list.`,
    save: 'Save list',
    cancel: 'Cancel',
    remove: 'Remove list',
    openFile: 'Open CSV …',
    saveFile: 'Save as CSV',
    file: 'CSV of symbol lists',
    imported: (lists: readonly string[], symbols: number) =>
      `Imported ${plural(symbols, 'symbol')} into ${firstFew(lists.map((list) => `“${list}”`))}`,
    removed: (name: string) => `Removed the list “${name}”`,
  },
  moveUp: 'Move up in the list',
  moveDown: 'Move down in the list',
  moveFirst: 'Move to the top of the list',
  undo: 'Undo',
  dropped: (name: string, symbols: number, left: number) =>
    `Removed ${plural(symbols, 'symbol')} from “${name}”${left === 0 ? ', which is now empty and was removed' : ''}`,
  dropOne: 'Remove from the list',
  dropMany: (symbols: number) => `Remove ${plural(symbols, 'symbol')} from the list`,
} as const
