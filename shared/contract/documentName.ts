import * as z from '../schemas/lazySchemas.ts'
import { singleLine } from '../units/fileNames.ts'

/** Maximum length of the name of a document. */
export const MOST_NAME_LENGTH = 120

/** Name of a document, as a person types it; stored as its file would contain it. */
export const documentName = z.string().overwrite(singleLine).min(1, 'must not be empty').max(MOST_NAME_LENGTH)
