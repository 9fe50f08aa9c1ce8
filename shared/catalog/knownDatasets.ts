import type { ColumnKind, ColumnOrigin, ColumnUnit, LargeMeaning, Resample } from './column.ts'
import { metricDatasets, type EventSource, type MetricCategory } from './metricDatasets.ts'
import { type ServedQuantity, servedQuantity } from './servedUnits.ts'
import type { Tier } from './tiers.ts'

/** Description of a dataset by a service. */
export interface ServiceDatasetFacts {
  id: string
  name: string
  description: string
  category: string
  fields: readonly { name: string; label: string; description: string; unit?: string | undefined }[]
}

/** Facts that the documentation states about a column beyond its name and description. */
interface ColumnMeaning {
  kind: ColumnKind
  unit: ColumnUnit
  nullRule: string
  resample: Resample
  large: LargeMeaning
  origin: ColumnOrigin
}

export interface KnownColumn {
  name: string
  label: string
  /** The formula in words; for a column that only the service knows, its description. */
  formula: string
  /** Documented meaning; null for columns that only the service knows. */
  meaning: ColumnMeaning | null
  /** What the service says of the numbers of a column that only it knows; null if nothing. */
  served?: ServedQuantity | null
  /** Label and description from the service; null if each agrees with ours or is empty. */
  serviceTexts: { label: string; description: string } | null
}

/** A metric dataset from the documentation and the list of a service, or a dataset of stored series. */
export interface KnownDataset {
  id: string
  name: string
  category: string
  description: string
  /** Lowest tier that includes the dataset; null if it is not documented. */
  minTier: Tier | null
  /** Events that the metrics are computed from; null for stored series and for datasets that only the service knows. */
  events: { drivingSource: EventSource; asOf: readonly EventSource[] } | null
  columns: KnownColumn[]
  /** False if a service was asked and does not list the dataset. */
  isListed: boolean
  /**
   * Name, description and category from the service; null if each agrees with ours or is empty, or if the service does
   * not list the dataset.
   */
  serviceTexts: { name: string; description: string; category: string } | null
}

const OTHER: MetricCategory | 'Other' = 'Other'

/**
 * Lists all documented datasets, then those that only the service knows. `fromService` is null if no service has been
 * asked yet.
 */
export function knownDatasets(fromService: readonly ServiceDatasetFacts[] | null): KnownDataset[] {
  const servedById = new Map(fromService?.map((dataset) => [dataset.id, dataset]))
  const documented = metricDatasets.map((dataset): KnownDataset => {
    const entry = servedById.get(dataset.id)
    const { id, name, category, description, minTier, drivingSource, asOf } = dataset
    const knownNames = new Set(dataset.columns.map((column) => column.name))
    const fields = new Map(entry?.fields.map((field) => [field.name, field]))
    return {
      id,
      name,
      category,
      description,
      minTier,
      events: { drivingSource, asOf },
      columns: [
        ...dataset.columns.map(({ name: column, label, formula, ...meaning }) => ({
          name: column,
          label,
          formula,
          meaning,
          serviceTexts: differingColumnTexts(fields.get(column), label, formula),
        })),
        ...(entry?.fields ?? []).filter((field) => !knownNames.has(field.name)).map(columnOfService),
      ],
      isListed: fromService === null || entry !== undefined,
      serviceTexts: entry ? differingDatasetTexts(entry, dataset) : null,
    }
  })
  const ids = new Set<string>(metricDatasets.map(({ id }) => id))
  return [...documented, ...(fromService ?? []).filter(({ id }) => !ids.has(id)).map(datasetOfService)]
}

const columnOfService = (field: ServiceDatasetFacts['fields'][number]): KnownColumn => ({
  name: field.name,
  label: field.label || field.name,
  formula: field.description,
  meaning: null,
  served: servedQuantity(field.unit ?? ''),
  serviceTexts: null,
})

const datasetOfService = ({ id, name, category, description, fields }: ServiceDatasetFacts): KnownDataset => ({
  id,
  name: name || id,
  category: category || OTHER,
  description,
  minTier: null,
  events: null,
  columns: fields.map(columnOfService),
  isListed: true,
  serviceTexts: null,
})

const differs = (served: string, ours: string) => served !== '' && served !== ours

function differingColumnTexts(
  field: ServiceDatasetFacts['fields'][number] | undefined,
  label: string,
  formula: string,
): KnownColumn['serviceTexts'] {
  if (!field || !(differs(field.label, label) || differs(field.description, formula))) return null
  return { label: field.label, description: field.description }
}

function differingDatasetTexts(
  { name, description, category }: ServiceDatasetFacts,
  ours: { name: string; description: string; category: string },
): KnownDataset['serviceTexts'] {
  const hasOtherText =
    differs(name, ours.name) || differs(description, ours.description) || differs(category, ours.category)
  return hasOtherText ? { name, description, category } : null
}
