type Config = { extend?: object } & Record<string, unknown>
type Classes = (props?: Record<string, unknown>) => unknown
type Tv = (config: Config) => Classes

/**
 * The `tv` of Nuxt UI, which computes the classes of a component, with shared results. Each component calls it for itself, so a
 * page with a hundred buttons would build and merge the same classes a hundred times. Used by modules/light-parts.
 */
export function shareClasses(plain: Tv): Tv {
  const byTheme = new WeakMap<object, Map<string, Classes>>()
  return config => {
    const { extend = config, ...own } = config
    const key = extend === config ? '' : keyOf(own)
    if (key === undefined) return plain(config)
    const known = byTheme.get(extend) ?? new Map<string, Classes>()
    byTheme.set(extend, known)
    const classes = known.get(key) ?? shareResults(plain(config))
    known.set(key, classes)
    return classes
  }
}

function shareResults(classes: Classes): Classes {
  const known = new Map<string, unknown>()
  return Object.assign((props: Record<string, unknown> = {}) => {
    const key = keyOf(props)
    if (key === undefined) return classes(props)
    if (!known.has(key)) known.set(key, classes(props))
    return known.get(key)
  }, classes)
}

/** The values as text; undefined if they contain a function, because it can return something else each time. */
function keyOf(values: object): string | undefined {
  let hasFunction = false
  const key = JSON.stringify(values, (_name, value: unknown) => {
    hasFunction ||= typeof value === 'function'
    return value
  })
  return hasFunction ? undefined : key
}
