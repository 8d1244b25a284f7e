import { isDeclared } from '#fairway/server/kernel/declared'
import type { Action } from './action'

/** Whether a value was made by defineAction. */
export const isAction = (value: unknown): value is Action => isDeclared('action', value)
