import { createFolderWorkers } from '#core/sharedStore/folderWorker.ts'
import { createFolderFiles, type StoreFiles } from '#core/sharedStore/storeFiles.ts'

/** Opens the folder of a store; its process ends when it has no work left. */
export const folderFiles = (root: string): StoreFiles => createFolderFiles(root, createFolderWorkers({}).callIn(root))
