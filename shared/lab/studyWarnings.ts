/** Warning messages of studies, in the order in which a result lists them. */
const messages = {
  'source-unused': 'The study names a source, but the rows come from the panel file.',
  'duplicate-rows': 'Some rows have the same time and symbol; only the last of them was used.',
  'too-few-symbols': 'The study has too few symbols for an answer.',
  'no-variation': 'There is no correlation, because the values do not vary.',
  'no-events': 'There is no event.',
  'in-sample-buckets': 'The buckets rank signals among those of the whole range, which nobody knew at the time.',
  'no-delay': 'delayBars is 0: the study enters at the price that the signal may have seen.',
  'peek-ic':
    'Without a delay, the rank IC of the first horizon is above 0.9 in absolute value: the signal probably contains the return it predicts.',
  'peek-equal': 'The signal equals the return that follows it in every cell.',
  'funding-inferred': 'Funding periods are inferred from the bars at which rates change:',
  'funding-assumed': 'Funding periods are assumed, because nothing shows them:',
  'funding-conflict': 'Observed and announced funding periods contradict each other; what was observed is used:',
  'mixed-units': 'A formula combines or ranks a column whose unit differs between the venues.',
  'modelled-time': 'Times of a venue are modelled and must not be used for latency research.',
  'unknown-symbol': 'The study names symbols that its venues do not list.',
  'published-later-unknown':
    'A dataset of your own says nothing of how long after its rows they were published, and its file was modified more than a day after the last of them was known; they may have been known later than the study takes them:',
  'not-downloaded': 'Some cells have no row because their file has not been downloaded.',
} as const

export type WarningCode = keyof typeof messages

/** A warning beside a result; its code stays the same when the sentence is reworded. */
export interface CodedWarning<Code extends string> {
  code: Code
  message: string
}

export type StudyWarning = CodedWarning<WarningCode>

/** Builds a warning; `detail` is appended to the message of its code. */
export const warning = (code: WarningCode, detail = ''): StudyWarning => ({
  code,
  message: detail === '' ? messages[code] : `${messages[code]} ${detail}`,
})

/** Sorts warnings by the order of the codes and keeps the first one of each code. */
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
