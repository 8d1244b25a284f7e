import { isDeclared } from '#fairway/server/kernel/declaration'
import type { Action } from './action'

/** Whether a value was made by defineAction. */
export const isAction = (value: unknown): value is Action => isDeclared('action', value)
