import { useRouter } from 'vue-router'
import { fromHere } from '../../widgets/addressQuery.ts'
import { testFormats } from '#shared/contract/areas/lab.ts'
import { kindName, type LabKind, labKinds } from '#shared/lab/kinds.ts'
import type { ReadyStudy } from '#shared/lab/kinds/readyGround.ts'
import { newDocument, useLab } from '../../stores/lab.ts'
import { useReports } from '../../stores/reports.ts'
import { useWorkspaces } from '../../stores/workspaces.ts'
import { labText } from '../../text/lab.ts'
import { testText } from '../../text/labTests.ts'
import { useDocumentActions, useDocumentCommands } from '../documentScreen.ts'
import { withTestPanes } from './testPanes.ts'

const { menu, commands: text } = labText

/** Actions on studies, in the menu and (while the Lab is open) in the palette. */
export function useStudyActions() {
  const lab = useLab()
  const router = useRouter()
  const workspaces = useWorkspaces()
  const reports = useReports()
  const documents = useDocumentActions(lab, { listAddress: '/lab', saved: menu.saved, kind: 'study' })
  const { attempt, showMade, showSaved } = documents

  const create = (kind: LabKind) => attempt(showMade(lab.create(kindName(kind), newDocument(kind))))

  const createReadyStudy = ({ name, document }: ReadyStudy) =>
    attempt(showMade(lab.create(name, { version: 1, study: { ...document }, panel: null })))

  /** Exports a table of a test; the action names the table and the format, as `daysCsv` does. */
  async function exportTest(action: string): Promise<void> {
    const table = action.startsWith('days') ? 'days' : 'weights'
    const format = testFormats.find((each) => action.toLowerCase().endsWith(each)) ?? 'csv'
    const saved = await lab.exportTest(table, format)
    if (saved) showSaved(saved)
  }

  /** Adds the last result to the open workspace, so that it is charted beside metrics, and opens the workbench. */
  async function chartTest(): Promise<void> {
    const go = fromHere(router)
    const series = await lab.chartTest()
    await workspaces.start()
    await workspaces.edit((before) => withTestPanes(before, series, lab.name))
    await go('/workbench')
  }

  /** Saves a report on the study that the answer belongs to, which may be older than the edited one. */
  function saveReport(): void {
    if (!lab.answer) return
    const { study, panel } = lab.answer.document
    const files = { panel: panel?.path ?? null, against: panel?.against ?? null }
    attempt(reports.save({ kind: 'study', document: study, ...files }))
  }

  function copyNotebook(): void {
    const { study, panel = null } = lab.document ?? {}
    const files = { panel: panel?.path ?? null, against: panel?.against ?? null }
    attempt(reports.copyNotebook({ kind: 'study', document: study, ...files }))
  }

  function act(action: string): void {
    if (action === 'trials') attempt(router.push('/lab/trials'))
    else if (lab.current && action.startsWith('export ')) attempt(exportTest(action.slice('export '.length)))
    else if (action === 'report') saveReport()
    else if (action === 'notebook') copyNotebook()
    else if (lab.current && action === 'chartTest') attempt(chartTest())
    else documents.act(action)
  }

  useDocumentCommands(lab, act, { prefix: 'lab', group: 'Lab', text }, [
    { name: 'trials', title: testText.commands.trials, run: () => act('trials') },
    {
      name: 'chartTest',
      title: testText.commands.chartTest,
      when: () => lab.isTest && lab.answer !== null,
      run: () => act('chartTest'),
    },
    ...labKinds.map((kind) => ({
      name: `new.${kind}`,
      title: text.new(kindName(kind)),
      run: () => create(kind),
    })),
  ])
  return {
    ...documents,
    act,
    create,
    createReadyStudy,
  }
}
