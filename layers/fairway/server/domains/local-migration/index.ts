export { defineLocalMigration, type LocalMigrationContext } from './define-local-migration'
export { callHook } from './hook'
export { countLocalData, moveLocalData } from './move-local-data'
export { requireRealPerson } from './real-person'
