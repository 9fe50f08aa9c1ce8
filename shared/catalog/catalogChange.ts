import type { ServiceDatasetFacts } from './knownDatasets.ts'

/** Changes in a service's catalog: names of datasets (`ohlcv`) and columns (`ohlcv · close`). */
export interface CatalogChange {
  added: string[]
  gone: string[]
  /** Datasets and columns whose name, label, category or description changed. */
  reworded: string[]
}

export function catalogChange(
  before: readonly ServiceDatasetFacts[],
  after: readonly ServiceDatasetFacts[],
): CatalogChange {
  const textsBefore = textsByName(before)
  const textsAfter = textsByName(after)
  return {
    added: [...textsAfter.keys()].filter((name) => !textsBefore.has(name)),
    gone: [...textsBefore.keys()].filter((name) => !textsAfter.has(name)),
    reworded: [...textsAfter]
      .filter(([name, texts]) => (textsBefore.get(name) ?? texts) !== texts)
      .map(([name]) => name),
  }
}

function textsByName(datasets: readonly ServiceDatasetFacts[]): Map<string, string> {
  const texts = new Map<string, string>()
  for (const { id, name, category, description, fields } of datasets) {
    texts.set(id, JSON.stringify([name, category, description]))
    for (const field of fields) texts.set(`${id} · ${field.name}`, JSON.stringify([field.label, field.description]))
  }
  return texts
}
