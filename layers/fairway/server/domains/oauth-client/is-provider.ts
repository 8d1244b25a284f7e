import { isDeclared } from '#fairway/server/kernel/declared'
import type { ProviderRecord } from './provider'

/** Whether a value was made by `defineProvider`. */
export const isProvider = (value: unknown): value is ProviderRecord => isDeclared('provider', value)
