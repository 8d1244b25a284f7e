const REDACTED = '[redacted]'

/** What must not be in a log although it stands in the middle of a text: the pattern and what takes its place. */
const patterns: readonly [pattern: RegExp, replacement: string][] = [
  // A failed query names its values: addresses, tokens, what people wrote.
  [/\nparams: .*?(?=\n {4}at |$)/gs, `\nparams: ${REDACTED}`],
  [/((?:__Host-)?fw\.session_token=)[^;\s"]+/g, `$1${REDACTED}`],
  [/([?&#](?:\w*token|code|state|ticket|id_token_hint|secret|password)=)[^&\s"'#]+/gi, `$1${REDACTED}`],
  [/\b(Bearer|Basic) [\w.~+/=-]{8,}/gi, `$1 ${REDACTED}`],
  // A JWT, wherever it stands: its header is a JSON object, which begins like this in base64url.
  [/\beyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*)?/g, REDACTED],
  // Bounded before the sign: an unbounded run would be tried again from each of its characters.
  [/[^\s@<>"'(),:;[\]/\\=&?]{1,64}(?:@|%40)[^\s@<>"'(),:;[\]/\\&?#]{1,190}\.[a-z][a-z0-9-]+/gi, '[address]'],
]

/** The text without e-mail addresses, session cookies, bearer values and secrets in queries. */
export const scrub = (text: string): string =>
  patterns.reduce((rest, [pattern, replacement]) => rest.replaceAll(pattern, replacement), text)
