import * as z from '../schemas/lazySchemas.ts'
import { MOST_NAME_LENGTH, singleLine } from '../units/fileNames.ts'

/** Name of a document, as a person types it; stored as its file would contain it. */
export const documentName = z.string().overwrite(singleLine).min(1, 'must not be empty').max(MOST_NAME_LENGTH)
