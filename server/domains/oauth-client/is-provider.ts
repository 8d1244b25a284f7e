import type { ProviderRecord } from './provider'

/** Marks what `defineProvider` made; the same in every copy of this module that a build or a loader makes. */
export const PROVIDER_MARK = Symbol.for('fairway.provider')

/** Whether a value was made by `defineProvider`. */
export const isProvider = (value: unknown): value is ProviderRecord =>
  typeof value === 'object' && value !== null && PROVIDER_MARK in value
