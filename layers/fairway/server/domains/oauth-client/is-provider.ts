import { isDeclared } from '#fairway/server/kernel/declaration'
import type { ProviderRecord } from './provider'

/** Whether a value was made by `defineProvider`. */
export const isProvider = (value: unknown): value is ProviderRecord => isDeclared('provider', value)
