import { createFolderWorkers } from '#core/sharedStore/folderWorker.ts'
import { createFolderFiles, type StoreFiles } from '#core/sharedStore/storeFiles.ts'

/** The folder of a store, whose process ends when it has nothing to do. */
export const folderFiles = (root: string): StoreFiles => createFolderFiles(root, createFolderWorkers({}).callIn(root))
