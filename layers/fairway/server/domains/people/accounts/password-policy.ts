import type { Config } from '#fairway/server/kernel/config/config'
import { AppError } from '#fairway/server/kernel/http/app-error'

interface Person {
  email?: string
  name?: string
}

/** Throws `password-too-short`, `password-too-long` or `password-too-common` for a password that is not accepted; lengths are code points after NFKC. */
export async function checkPassword(password: string, person: Person, config: Config): Promise<void> {
  const normal = password.normalize('NFKC')
  const length = [...normal].length
  const { minLength, maxLength } = config.password
  if (length < minLength) {
    throw new AppError('password-too-short', { detail: `Use at least ${minLength} characters.` })
  }
  if (length > maxLength) {
    throw new AppError('password-too-long', { detail: `Use at most ${maxLength} characters.` })
  }
  const reason = weakness(normal.toLowerCase(), person, config.name) ?? (await commonness(normal.toLowerCase()))
  if (reason) throw new AppError('password-too-common', { detail: reason })
}

function weakness(password: string, person: Person, product: string): string | undefined {
  if (isRepeated(password)) return 'It repeats one short pattern.'
  if (isSequence(password)) return 'It is a simple sequence.'
  const words = [person.email, person.email?.split('@')[0], person.name, product, 'fairway'].flatMap(ownWords)
  const compact = lettersAndDigits(password)
  const rest = words.reduce((text, word) => text.replaceAll(word, ''), compact)
  // What is left after the person's own words are taken out must still be a password.
  if (rest.length < compact.length && rest.length < 8)
    return 'It is made of your address, your name or the product name.'
  return undefined
}

const lettersAndDigits = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '')

/** The text as one word and each of its parts, as far as they are long enough to mean something. */
const ownWords = (text: string | undefined): string[] =>
  [text ?? '', ...(text ?? '').split(/[^\p{L}\p{N}]+/u)].map(lettersAndDigits).filter(word => word.length >= 4)

/** `abcabcabc…`: the text is one pattern of at most a third of its length, over and over. */
function isRepeated(text: string): boolean {
  for (let size = 1; size <= text.length / 3; size++) {
    const pattern = text.slice(0, size)
    if (pattern.repeat(Math.ceil(text.length / size)).slice(0, text.length) === text) return true
  }
  return false
}

const rows = ['abcdefghijklmnopqrstuvwxyz', '01234567890123456789012345678901234567890', 'qwertyuiopasdfghjklzxcvbnm']
const sequences = rows.flatMap(row => [row + row, [...(row + row)].toReversed().join('')])
const isSequence = (text: string): boolean => sequences.some(sequence => sequence.includes(text))

async function commonness(password: string): Promise<string | undefined> {
  // Loaded on first use: the list is large and most requests never need it.
  const { dictionary } = await import('@zxcvbn-ts/language-common')
  const list: readonly unknown[] = dictionary['passwords-common']
  const stem = password.replace(/[^\p{L}]+$/u, '')
  const isListed =
    list.includes(password) || (stem.length >= 6 && password.length - stem.length >= 3 && list.includes(stem))
  return isListed ? 'It is on the list of passwords that are tried first.' : undefined
}
