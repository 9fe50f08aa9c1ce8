/** Kinds of documents, in a module without their schemas. */
export const documentKindNames = ['workspace', 'set', 'list', 'query', 'study', 'board', 'check'] as const
export type DocumentKind = (typeof documentKindNames)[number]

/** Kinds of documents in the documents folder: `own` is the recipe of a dataset of the user's own, without its rows. */
export const folderKindNames = ['workspace', 'set', 'list', 'query', 'study', 'board', 'own'] as const
export type FolderKindName = (typeof folderKindNames)[number]
