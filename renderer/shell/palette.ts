import { normaliseForSearch } from '#shared/catalog/normaliseForSearch.ts'
import { fuzzyScore } from '../components/fuzzyMatch.ts'
import { type Command, type PaletteResult, titleOf } from '../stores/commands.ts'

export interface PaletteEntry extends PaletteResult {
  shortcut: string | null
  /**
   * True if the command changes something and its name was not typed in full, so that Enter runs it only after the user
   * highlighted it.
   */
  needsMark: boolean
}

/** Maximum number of commands in the palette. */
const MOST_COMMANDS = 60
/** Additional points for a match in the title rather than only in the group or the keywords. */
const TITLE_BONUS = 20
/** Additional points for a recently used command. */
const RECENT_BONUS = 3

/**
 * Returns at most `MOST_COMMANDS` matching commands, best first. Without a query, every command matches, and those used
 * recently come first.
 */
export function paletteEntries(
  commands: readonly Command[],
  query: string,
  recent: readonly string[],
): { entry: PaletteEntry; isRecent: boolean }[] {
  const wantedText = normaliseForSearch(query.trim())
  const ratedCommands = commands
    .filter((command) => command.id !== 'palette.open')
    .map((command) => ({ command, rank: recent.indexOf(command.id), score: scoreOf(command, wantedText) }))
    .filter((each): each is typeof each & { score: number } => each.score !== null)
  const recencyRank = (rank: number) => (rank === -1 ? recent.length : rank)
  ratedCommands.sort((a, b) =>
    wantedText === ''
      ? recencyRank(a.rank) - recencyRank(b.rank)
      : b.score + recencyBonus(b.rank) - a.score - recencyBonus(a.rank),
  )
  return ratedCommands.slice(0, MOST_COMMANDS).map(({ command, rank }) => ({
    isRecent: wantedText === '' && rank !== -1,
    entry: {
      id: command.id,
      title: titleOf(command),
      hint: command.group,
      shortcut: command.shortcuts?.[0] ?? null,
      isExact: wantedText !== '' && isNamed(command, wantedText),
      needsMark: command.changesState === true && !isNamed(command, wantedText),
      run: command.run,
    },
  }))
}

const isNamed = (command: Command, wantedText: string) =>
  normaliseForSearch(titleOf(command)).replace(/ …$/, '') === wantedText

const recencyBonus = (rank: number) => (rank === -1 ? 0 : RECENT_BONUS)

/**
 * Scores a command; null for no match. A title may match with gaps between its letters, unless the command changes
 * something. Keywords match only as substrings, because scattered letters would match almost any keywords.
 */
function scoreOf(command: Command, wantedText: string): number | null {
  const title = command.changesState
    ? wordScore(wantedText, normaliseForSearch(titleOf(command)))
    : fuzzyOf(command, wantedText)
  if (title !== null) return title + TITLE_BONUS
  const searchedText = normaliseForSearch(`${titleOf(command)} ${command.group} ${command.keywords ?? ''}`)
  return wantedText.split(/\s+/).every((word) => searchedText.includes(word)) ? 0 : null
}

const fuzzyOf = (command: Command, wantedText: string) => fuzzyScore(wantedText, normaliseForSearch(titleOf(command)))

/** Scores a title by word prefixes only, so that scattered letters do not find a command that changes something. */
function wordScore(wantedText: string, title: string): number | null {
  const titleWords = title.split(/[\s\p{P}]+/u)
  return wantedText.split(/\s+/).every((typed) => titleWords.some((word) => word.startsWith(typed)))
    ? fuzzyScore(wantedText, title)
    : null
}
