import { useRouter } from 'vue-router'
import { fromHere } from '../../widgets/addressQuery.ts'
import { type Cell, seriesOf, testOf } from '#shared/lab/kinds/screen/openCell.ts'
import type { ResultOf } from '#shared/lab/runStudy.ts'
import { useLab } from '../../stores/lab.ts'
import { useToasts } from '../../stores/toasts.ts'

/** Returns the functions that open a line of a screen, on its later days, as a new study of the same rows. */
export function useOpenLine() {
  const lab = useLab()
  const router = useRouter()
  const toasts = useToasts()

  async function open(study: Record<string, unknown>): Promise<void> {
    const go = fromHere(router)
    const panel = lab.answer?.document.panel ?? null
    const id = await lab.create(String(study.name), { version: 1, study, panel })
    await go(`/lab/${id}`)
  }
  const opener =
    (build: typeof seriesOf) =>
    (result: ResultOf<'screen'>, cell: Cell): void =>
      void open(build(result, cell)).catch(toasts.problem)
  return { openSeries: opener(seriesOf), openTest: opener(testOf) }
}
