const MOST_WORDS = 4
const MOST_CHARACTERS = 40

/** What has to be typed to confirm a loss: the first words of the name, spaces evened out. */
export function toPhrase(name: string): string {
  const words = name.trim().split(/\s+/).slice(0, MOST_WORDS).join(' ')
  return [...words].slice(0, MOST_CHARACTERS).join('').trim()
}
