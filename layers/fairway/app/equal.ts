/** Whether two values are deeply equal. Replaces ohash, which serializes both to compare them (modules/light-parts). */
export function isEqual(one: unknown, other: unknown): boolean {
  if (Object.is(one, other)) return true
  if (!isObject(one) || !isObject(other) || one.constructor !== other.constructor) return false
  if (one instanceof Date) return one.getTime() === Number(other)
  const keys = Object.keys(one)
  return (
    keys.length === Object.keys(other).length &&
    keys.every(key => Object.hasOwn(other, key) && isEqual(Reflect.get(one, key), Reflect.get(other, key)))
  )
}

/** The entries of the second value that the first lacks. */
export const diff = (one: object, other: object) =>
  Object.keys(other).flatMap(key => (Object.hasOwn(one, key) ? [] : [{ type: 'added', key }]))

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null
