/** What a method of signing in answers: scripts get `body`, the forms of the sign-in page go on; the cookies are for both. */
export interface SignInAnswer {
  body: Record<string, unknown>
  setCookies: string[]
  /** Where the browser goes next; the return path is meant when there is none. */
  location?: string
  /** Set when the browser is not signed in yet but waits for a mailed link; a notice when the waiting page was there already. */
  waits?: true | 'not-yet' | 'mailed-again' | 'ended'
}
