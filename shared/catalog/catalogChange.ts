import type { ServiceDatasetFacts } from './knownDatasets.ts'

/**
 * Names of datasets and columns that a service describes differently than before, each as `dataset` or `dataset ·
 * column`.
 */
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
  const known = textsByName(before)
  const now = textsByName(after)
  return {
    added: [...now.keys()].filter((place) => !known.has(place)),
    gone: [...known.keys()].filter((place) => !now.has(place)),
    reworded: [...now].filter(([place, texts]) => (known.get(place) ?? texts) !== texts).map(([place]) => place),
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
