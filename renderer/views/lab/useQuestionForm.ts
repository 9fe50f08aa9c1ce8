import { computed, watch } from 'vue'
import type { LabDocument } from '#shared/contract/areas/lab.ts'
import { groupOf, kindOf } from '#shared/lab/kinds.ts'
import { type PlacedField, valueAt } from '#shared/lab/kinds/field.ts'
import { parameterField, parameterNamesOf } from '#shared/lab/kinds/portfolio/fields.ts'
import { usesCache, useLab } from '../../stores/lab.ts'
import { readRestriction, writeRestriction } from './cacheSource.ts'
import { allShownFields, withField, withPlaceholders } from './editStudy.ts'
import { defaultText, fieldText } from './fieldText.ts'

export type QuestionForm = ReturnType<typeof useQuestionForm>

/** The fields of the open study with their values, and how they change it. */
export function useQuestionForm(document: () => LabDocument) {
  const lab = useLab()
  const study = computed(() => document().study)
  const kind = computed(() => kindOf(study.value) ?? 'signal')
  const isTest = computed(() => kind.value === 'portfolio')
  const usesCachedData = computed(() => usesCache(document()))
  const fields = computed(() => {
    const parameters = isTest.value ? parameterNamesOf(study.value).map((name) => parameterField(name)) : []
    const shown = allShownFields(kind.value, study.value)
    return [...shown.filter(({ group }) => group !== 'source' || usesCachedData.value), ...parameters]
  })

  /**
   * Field of the formula that may be restricted to the symbols with the largest volume; null for kinds that do not
   * compare symbols.
   */
  const formulaField = computed(() =>
    groupOf(kind.value) === 'Across symbols' ? (fields.value.find(({ group }) => group === 'main') ?? null) : null,
  )
  const formulaPath = computed(() => formulaField.value?.path ?? '')
  const restriction = computed(() => readRestriction(fieldText(study.value[formulaPath.value])))
  const shownValue = (path: string) =>
    path === formulaPath.value && restriction.value.top !== null
      ? restriction.value.formula
      : valueAt(study.value, path)

  /** Values of placeholders that were typed before, so that editing the signal does not lose them. */
  const typedValues = new Map<string, unknown>()
  watch(
    () => lab.current?.id,
    () => typedValues.clear(),
  )

  function change(path: string, value: unknown): void {
    const { top, formula } = restriction.value
    lab.edit((before) => {
      const changed = withField(before.study, path, value)
      if (path.startsWith('parameters.')) typedValues.delete(path.slice('parameters.'.length))
      if (isTest.value) return { ...before, study: withPlaceholders(changed, typedValues) }
      // The restriction counts bars, so it must be rewritten for another interval.
      if (top !== null && path === 'interval') changed[formulaPath.value] = writeRestriction({ formula, top }, value)
      if (top !== null && path === formulaPath.value)
        changed[path] = writeRestriction({ formula: fieldText(value), top }, changed.interval)
      return { ...before, study: changed }
    })
  }

  function changeTop(top: number | null): void {
    const { formula, top: before } = restriction.value
    if (top === before) return
    lab.edit((now) => {
      const defaultFormula = formulaField.value ? defaultText(formulaField.value, usesCachedData.value) : ''
      const text = writeRestriction({ formula: formula || defaultFormula, top }, now.study.interval)
      return { ...now, study: { ...now.study, [formulaPath.value]: text } }
    })
  }

  return {
    kind,
    fields,
    usesCachedData,
    /** Number of symbols to which the formula is restricted; undefined if it cannot be. */
    top: computed(() => (formulaField.value ? restriction.value.top : undefined)),
    change,
    changeTop,
    bound: (field: PlacedField) => ({
      field,
      value: shownValue(field.path),
      onChange: (value: unknown) => change(field.path, value),
    }),
  }
}

/** Tells whether a field is at a place of the document or within it. */
export const isWithin = (path: string, place: string): boolean => path === place || path.startsWith(`${place}.`)
