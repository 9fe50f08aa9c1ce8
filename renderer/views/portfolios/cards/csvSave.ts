import { inject, provide, type InjectionKey } from 'vue'
import { fileName, saveFile } from '../../../export/saveFile.ts'

const whereFrom: InjectionKey<() => string> = Symbol('where numbers come from')

/** Provides the provenance that the cards below write into their exports. */
export const provideProvenance = (message: () => string): void => provide(whereFrom, message)

/** Saves a card's CSV, and beside it where its numbers come from: a CSV itself has no place for that. */
export function useCsvSave(): (file: string, title: string, csv: string) => void {
  const provenance = inject(whereFrom, () => '')
  return (file, title, csv) => {
    const name = `${fileName(file)}.csv`
    saveFile(name, new Blob([csv], { type: 'text/csv' }))
    const told = { file: name, title, from: provenance(), zone: 'UTC', exported: new Date().toISOString() }
    saveFile(`${name}.provenance.json`, new Blob([`${JSON.stringify(told, null, 2)}\n`], { type: 'application/json' }))
  }
}
