/** Kinds of documents, in a module without their schemas. */
export const documentKindNames = ['workspace', 'set', 'list', 'query', 'study', 'board', 'check'] as const
export type DocumentKind = (typeof documentKindNames)[number]

/** Kinds of documents in the documents folder. */
export const folderKindNames = ['workspace', 'set', 'list', 'query', 'study', 'board'] as const satisfies DocumentKind[]
export type FolderKindName = (typeof folderKindNames)[number]
