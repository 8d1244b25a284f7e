/** What people are told of a setting. */
export interface Setting {
  description: string
  unset: string
}

export type Settings = Readonly<Record<string, Setting>>

/** What two versions have as settings, compared: one sentence for each that came, went, has another name or another meaning when unset. */
export function settingChanges(before: Settings, after: Settings, used: readonly string[]): string[] {
  const gone = Object.keys(before).filter(name => !Object.hasOwn(after, name))
  const come = Object.keys(after).filter(name => !Object.hasOwn(before, name))
  // What is described by the same words is the same under another name.
  const renamed = new Map(
    gone.flatMap(old => {
      const name = come.find(name => after[name]?.description === before[old]?.description)
      return name ? [[old, name] as const] : []
    }),
  )
  const mark = (name: string) => (used.includes(name) ? ', and your .env has it' : '')
  const names = new Set(renamed.values())
  return [
    ...gone.map(old =>
      renamed.has(old) ? `${old} is called ${renamed.get(old)} now${mark(old)}` : `${old} is gone${mark(old)}`,
    ),
    ...come.filter(name => !names.has(name)).map(name => `${name} is new: ${after[name]?.description}`),
    ...Object.entries(after).flatMap(([name, { unset }]) => {
      const was = before[name]?.unset
      return was === undefined || was === unset
        ? []
        : [`${name}, when it is not set: ${unset} (until now ${was})${mark(name)}`]
    }),
  ]
}
