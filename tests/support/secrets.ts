/** The root secret of all applications and servers in the tests. */
export const SECRET = 'kX9v2LqTz7RmW4pYc8NbJ5hGd3FsA6uE'

/** A different root secret, for rotations and for unknown keys. */
export const OTHER_SECRET = 'Yw4nTq8ZrB2kM6xVs9HdJ3gLc7PfE5uA'

/** The secret that a hub and its applications share in tests. */
export const A2A_SECRET = 'Zq7vT2mLx9RkW4pYc8NbJ5hGd3FsA6uE'

/** The secret that they shared before a rotation. */
export const EARLIER_A2A_SECRET = 'Wd4sR9nLx2TkV7pZc5MbJ8hGf3EqA6yU'

/** A secret shared by other parties. */
export const OTHER_A2A_SECRET = 'Yb6wU3nKz8QjV5oXd7MaI4gFc2ErS9tH'

/** The token of `ACCESS_TOKEN`, which machines use. */
export const STATIC_TOKEN = 'st-4hGd3FsA6uEkX9v2LqTz7RmW4pYc8NbJ5'

/** The beginning of a JSON Web Token. Random text can hold its first three letters alone. */
export const JWT = /eyJ[\w-]{8,}\.[\w-]{8,}/

/** Patterns that a log must not contain, by the name for the error message. The server redacts values as `[redacted]`. */
const shapes: readonly [name: string, shape: RegExp][] = [
  ['a session cookie', /fw\.session_token=(?!\[redacted\])[^;\s"]{8,}/],
  ['a secret in an address', /[?&#](?:\w*token|ticket|code|state)=(?!\[redacted\])[^&\s"]{8,}/i],
  ['a random token', /(?:token|secret|ticket|cookie|state|code|verifier)["'=: ]{1,4}[\w-]{32,}/i],
  ['a signed cookie value', /[\w-]{32,43}\.[\w+/%-]{43,50}(?:=|%3D)/],
  ['an Authorization value', /\b(?:Bearer|Basic) (?!\[redacted\])[\w.~+/=-]{8,}/i],
  ['a JWT', JWT],
  ['an email address', /[\w.+-]{1,64}(?:@|%40)[\w-]{1,63}(?:\.[\w-]{1,63}){0,5}\.[a-z]{2,}/i],
  ['a password hash', /\$argon2|\$scrypt/],
]

/** The passwords that tests use for sign-up. */
const passwords = ['zebra quilt 7 lantern', 'quiet harbour lantern 42', 'a quieter lantern 9', 'wrong password here']

/** Throws when a server's log contains one of these texts, a test password, or a text that looks like a secret or an address. */
export function expectNoSecrets(log: string, secrets: readonly string[] = []): void {
  for (const secret of [...passwords, ...secrets]) {
    for (const text of [secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)]) {
      if (text && log.includes(text)) throw new Error(`the log holds ${JSON.stringify(text)}:\n${lineWith(log, text)}`)
    }
  }
  for (const [name, shape] of shapes) {
    const found = shape.exec(log)?.[0]
    if (found) throw new Error(`the log holds ${name}: ${found}\n${lineWith(log, found)}`)
  }
}

const lineWith = (log: string, text: string): string => log.split('\n').find(line => line.includes(text)) ?? ''
