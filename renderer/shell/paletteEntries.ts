import { searchForm } from '#shared/catalog/searchForm.ts'
import { fuzzyScore } from '../components/fuzzyMatch.ts'
import { titleOf, type Command } from '../stores/commands.ts'

export interface PaletteEntry {
  id: string
  title: string
  /** Where it belongs, shown beside it. */
  hint: string
  shortcut: string | null
  run: () => unknown
}

const NO_QUERY_SHOWN = 60
/** Titles are searched by single letters, keywords by stretches: among many words, single letters find everything. */
const TITLE_BONUS = 20
const RECENT_BONUS = 3

/** The commands that match, best first; without a query, the recent ones first and the rest in their order. */
export function paletteEntries(
  commands: readonly Command[],
  query: string,
  recent: readonly string[],
): { entry: PaletteEntry; isRecent: boolean }[] {
  const wanted = searchForm(query.trim())
  const rated = commands
    .filter((command) => command.id !== 'palette.open')
    .map((command) => ({ command, rank: recent.indexOf(command.id), score: scoreOf(command, wanted) }))
    .filter((each): each is typeof each & { score: number } => each.score !== null)
  const byRecency = (rank: number) => (rank === -1 ? recent.length : rank)
  rated.sort((a, b) =>
    wanted === ''
      ? byRecency(a.rank) - byRecency(b.rank)
      : b.score + recencyBonus(b.rank) - a.score - recencyBonus(a.rank),
  )
  return rated.slice(0, NO_QUERY_SHOWN).map(({ command, rank }) => ({
    isRecent: wanted === '' && rank !== -1,
    entry: {
      id: command.id,
      title: titleOf(command),
      hint: command.group,
      shortcut: command.shortcuts?.[0] ?? null,
      run: command.run,
    },
  }))
}

const recencyBonus = (rank: number) => (rank === -1 ? 0 : RECENT_BONUS)

function scoreOf(command: Command, wanted: string): number | null {
  const title = fuzzyScore(wanted, searchForm(titleOf(command)))
  if (title !== null) return title + TITLE_BONUS
  const message = searchForm(`${titleOf(command)} ${command.group} ${command.keywords ?? ''}`)
  return wanted.split(/\s+/).every((word) => message.includes(word)) ? 0 : null
}
