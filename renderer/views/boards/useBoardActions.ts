import { useBoards, emptyBoard } from '../../stores/boards.ts'
import { useFiles } from '../../stores/files.ts'
import { boardsText } from '../../text/boards.ts'
import { useDocumentActions, useDocumentCommands } from '../documentScreen.ts'
import type { ReadyBoard } from './readyBoards.ts'

const { menu, list: listText, commands: text, group } = boardsText

/** Actions on boards, which also stand in the menu and in the palette while the screen is open. */
export function useBoardActions(add: () => void) {
  const boards = useBoards()
  const files = useFiles()
  const documents = useDocumentActions(boards, { place: '/boards', saved: menu.saved, openFile })
  const { attempt, show, act } = documents

  function openFile(): void {
    attempt(files.pickFor('board', (file) => boards.openFile(file).then(async (id) => void (await show(id)))))
  }

  const create = () => attempt(boards.create(listText.firstName, emptyBoard()).then(show))
  const createReady = ({ name, document }: ReadyBoard) => attempt(boards.create(name, document).then(show))

  const isOpen = () => boards.current !== null
  useDocumentCommands(boards, act, { prefix: 'boards', group, text }, [
    { name: 'add', title: text.add, when: isOpen, run: add },
    { name: 'report', title: text.report, when: isOpen, run: () => void boards.saveReport() },
    { name: 'new', title: text.new, run: create },
  ])
  return { ...documents, create, createReady, show: (id: string) => attempt(show(id)) }
}
