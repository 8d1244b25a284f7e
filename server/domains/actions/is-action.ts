import type { Action } from './action'

/** The mark of what defineAction made; it is the same in every copy of this module, because the build loads its own. */
export const ACTION_MARK = Symbol.for('fairway.action')

/** Whether a value was made by defineAction. */
export const isAction = (value: unknown): value is Action =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, ACTION_MARK)
