/** Messages of the warnings of a study, in the order in which a result lists them. */
const messages = {
  'source-unused': 'The study names a source, but the rows come from the panel file.',
  'duplicate-rows': 'Some rows have the same time and symbol; the later row of each was used.',
  'no-delay': 'delayBars is 0: the study enters at the price that the signal may have seen.',
  'peek-ic':
    'Without a delay, the mean rank IC of the first horizon is above 0.9 in absolute value: the signal probably contains the return it predicts.',
  'peek-equal': 'The signal equals the return that follows it in every cell.',
  'mixed-units': 'A formula combines or ranks a column whose unit differs between the venues.',
  'modelled-time': 'Times of a venue are modelled and must not be used for latency research.',
  'not-downloaded': 'Some cells have no row because their file has not been downloaded.',
} as const

export type WarningCode = keyof typeof messages

/** A sentence beside a result, with the code that stays the same when the sentence changes. */
export interface CodedWarning<Code extends string> {
  code: Code
  message: string
}

export type StudyWarning = CodedWarning<WarningCode>

/** Builds a warning; `detail` follows the message of its code. */
export const warning = (code: WarningCode, detail = ''): StudyWarning => ({
  code,
  message: detail === '' ? messages[code] : `${messages[code]} ${detail}`,
})

/** Sorts warnings in the order of the codes and keeps the first of each code. */
export const sortByCode = <Code extends string>(
  codes: readonly Code[],
  warnings: readonly CodedWarning<string>[],
): CodedWarning<Code>[] =>
  codes.flatMap((code) => {
    const found = warnings.find((one) => one.code === code)
    return found ? [{ code, message: found.message }] : []
  })

export const sortWarnings = (warnings: readonly StudyWarning[]): StudyWarning[] =>
  sortByCode(Object.keys(messages) as WarningCode[], warnings)
