import type { ExampleQuery } from '#shared/sql/exampleQueries.ts'
import { useFiles } from '../../stores/files.ts'
import { newQuery, useSql } from '../../stores/sql.ts'
import { sqlText } from '../../text/sql.ts'
import { useDocumentActions, useDocumentCommands } from '../documentScreen.ts'

const { menu, list: listText, commands: text, group } = sqlText

/** Actions on queries, which also stand in the menu and in the palette while the screen is open. */
export function useQueryActions(format: () => void) {
  const sql = useSql()
  const files = useFiles()
  const documents = useDocumentActions(sql, { place: '/sql', saved: menu.saved, openFile })
  const { attempt, show, act } = documents

  /** Opens a query from a file, and shows it. */
  function openFile(): void {
    attempt(files.pickFor('query', (file) => sql.openFile(file).then(async (id) => void (await show(id)))))
  }

  const create = (name: string = listText.firstName, text = '', parameters: Readonly<Record<string, string>> = {}) =>
    attempt(sql.create(name, newQuery(text, parameters)).then(show))
  const createExample = ({ name, sql: text, parameters }: ExampleQuery) => create(name, text, parameters)

  const isOpen = () => sql.current !== null
  useDocumentCommands(sql, act, { prefix: 'sql', group, text }, [
    { name: 'format', title: text.format, when: isOpen, run: format },
    { name: 'plan', title: text.plan, when: isOpen, run: () => void sql.measure() },
    { name: 'new', title: text.new, run: () => create() },
  ])
  return { ...documents, create, createExample }
}
