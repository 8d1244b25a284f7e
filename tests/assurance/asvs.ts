import { api } from './api'
import { chapters } from './asvs-ids'
import { authentication } from './authentication'
import { authorization } from './authorization'
import { communication } from './communication'
import { configuration } from './configuration'
import { cryptography } from './cryptography'
import { dataProtection } from './data-protection'
import { encoding } from './encoding'
import { files } from './files'
import { logging } from './logging'
import { oauth } from './oauth'
import { absent, type Requirement } from './requirement'
import { secureCoding } from './secure-coding'
import { sessions } from './sessions'
import { tokens } from './tokens'
import { validation } from './validation'
import { webFrontend } from './web-frontend'

/** The ids of a chapter at levels 1 and 2. */
export const idsOf = (chapter: number): string[] =>
  [chapters[chapter]?.level1, chapters[chapter]?.level2].flatMap(ids => ids?.split(' ').filter(Boolean) ?? [])

/** Every requirement of levels 1 and 2 with our answer, by chapter. */
export const requirements: Readonly<Record<number, readonly Requirement[]>> = {
  1: encoding,
  2: validation,
  3: webFrontend,
  4: api,
  5: files,
  6: authentication,
  7: sessions,
  8: authorization,
  9: tokens,
  10: oauth,
  11: cryptography,
  12: communication,
  13: configuration,
  14: dataProtection,
  15: secureCoding,
  16: logging,
  17: idsOf(17).map(id => absent(id, 'Sound and pictures between browsers are protected.', 'There is no WebRTC.')),
}
