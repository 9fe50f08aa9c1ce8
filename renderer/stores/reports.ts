import { defineStore } from 'pinia'
import { ref } from 'vue'
import type { CallInput } from '#shared/contract/calls.ts'
import type { PartQuery } from '#shared/report/reportContent.ts'
import { copyText } from '../components/copyText.ts'
import { storesText } from '../text/stores.ts'
import { useFiles } from './files.ts'
import { useHost } from './host.ts'
import { useToasts } from './toasts.ts'

type ReportQuery = CallInput<'report.save'>['query']

/** Saves reports of what is on screen. */
export const useReports = defineStore('reports', () => {
  const host = useHost()
  const toasts = useToasts()
  const files = useFiles()
  const isMaking = ref(false)

  /** Saves a report and shows a message that says where it is or why it could not be saved. */
  async function save(query: ReportQuery): Promise<void> {
    isMaking.value = true
    try {
      // The document is copied without Vue's proxies, which cannot cross process boundaries.
      const plainQuery = JSON.parse(JSON.stringify(query)) as ReportQuery
      const saved = await host.call('report.save', { connectionId: '', query: plainQuery })
      if (!saved) return
      const action = files.revealAction(saved.path)
      const message = storesText.reports.saved(saved.name, saved.sources)
      toasts.show({ kind: 'done', message, ...(action && { action }) })
    } catch (thrown) {
      toasts.problem(thrown)
    } finally {
      isMaking.value = false
    }
  }

  /** Copies what a report would show as a Jupyter notebook that computes it with the Python module. */
  async function copyNotebook(query: PartQuery): Promise<void> {
    const { notebookText } = await import('#shared/report/notebook.ts')
    if (await copyText(notebookText(query, {})))
      toasts.show({ kind: 'done', message: storesText.reports.copiedNotebook })
  }

  return { isMaking, save, copyNotebook }
})
