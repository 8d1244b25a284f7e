import { compare, isValid } from 'verkit'

/** The lines of a changelog that belong to versions after one and up to another, newest as the file has them. */
export function changelogBetween(text: string, from: string, to: string): string[] {
  return text.split(/^## /m).flatMap(section => {
    const [heading = '', ...lines] = section.split('\n')
    const version = /^\[?v?([\w.+-]+)/.exec(heading)?.[1] ?? ''
    if (!isValid(version) || compare(version, from) <= 0 || compare(version, to) > 0) return []
    return [`${version}:`, ...lines.filter(line => line.trim() !== '')]
  })
}
