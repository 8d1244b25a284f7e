// What `fw add` says about an application before it changes anything.

/** Something that a person should know before the platform is added. */
export interface Finding {
  /** `stops` ends the command: the application would not build or start. */
  level: 'stops' | 'note'
  file: string
  /** What it means. */
  text: string
  /** The step to take. */
  todo: string
}

/** Returns the findings as text: what stops first, each with its file, its meaning and its step. */
export function findingLines(findings: readonly Finding[]): string[] {
  const part = (level: Finding['level'], heading: string) => {
    const some = findings.filter(finding => finding.level === level)
    const mark = level === 'stops' ? '✗' : '!'
    return some.length === 0
      ? []
      : [heading, ...some.flatMap(({ file, text, todo }) => [`  ${mark} ${file}: ${text}`, `      ${todo}`])]
  }
  return [...part('stops', 'This stops:'), ...part('note', 'To know:')]
}
