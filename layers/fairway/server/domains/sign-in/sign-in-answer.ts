/** The result of a sign-in method: scripts get `body`, forms of the sign-in page redirect, and both get the cookies. */
export interface SignInAnswer {
  body: Record<string, unknown>
  setCookies: string[]
  /** The next address of the browser. Default: the return path. */
  location?: string
  /** Set when the browser waits for a mailed link. A notice when the waiting page is already open. */
  waits?: true | 'not-yet' | 'mailed-again' | 'ended'
}
