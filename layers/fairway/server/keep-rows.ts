import { type CollectionEntry, keepTotals } from '#fairway/server/domains/collections'
import { keepFiles } from '#fairway/server/domains/files'
import { PERSON_TEXT } from '#fairway/server/domains/people'
import { keepLimits } from '#fairway/server/domains/plans'
import type { App } from '#fairway/server/kernel/app-context'
import { keepFolds } from '#fairway/server/kernel/folding/keep-folds'
import { keepTrigrams } from '#fairway/server/kernel/folding/trigrams'

/**
 * Makes the database keep what is derived from other rows: folded texts, parts of names, totals, files in use, limits of plans. A
 * start does this after the migrations; what is current already costs a few reads. Throws for a declaration that cannot be kept.
 */
export async function keepRows(app: App, collections: readonly CollectionEntry[]): Promise<void> {
  await keepFolds(app)
  await keepTrigrams(app, PERSON_TEXT)
  await keepTotals(app, collections)
  await keepFiles(app)
  await keepLimits(app)
}
