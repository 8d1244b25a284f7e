import { type Migration, type ShippedMigrations, toMigration } from './migration'

interface Assets {
  getKeys(): Promise<string[]>
  getItemRaw(key: string): Promise<unknown>
}

/** Reads the migrations that were shipped with the build, in the order of their names. */
export async function loadMigrations(assets: Assets): Promise<Migration[]> {
  const keys = (await assets.getKeys()).filter(key => key.endsWith('.sql')).toSorted()
  return Promise.all(keys.map(async key => toMigration(key, String(await assets.getItemRaw(key)))))
}

/** Reads both journals' migrations from what the build ships. */
export const loadShippedMigrations = async (storage: (base: string) => Assets): Promise<ShippedMigrations> => ({
  platform: await loadMigrations(storage('assets:migrations')),
  application: await loadMigrations(storage('assets:application-migrations')),
})
