/** Ways to say which files a result was read from: all of them, or, if they outnumber its rows, where their list is. */
export const provenanceForms = ['brief', 'full'] as const
export type ProvenanceForm = (typeof provenanceForms)[number]
