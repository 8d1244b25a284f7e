/** Whether a ceremony's addresses are the hub's own, and its completion carries exactly our nonce. */
export function isOwnCeremony(
  { url, completionUrl }: { url: string; completionUrl: string },
  hub: string,
  nonce: string,
): boolean {
  if (!URL.canParse(url) || !URL.canParse(completionUrl)) return false
  const completion = new URL(completionUrl)
  return (
    new URL(url).origin === hub && completionUrl === `${hub}${completion.pathname}?${new URLSearchParams({ nonce })}`
  )
}

/** Whether a window has arrived exactly where the ceremony ends: origin, path and nonce. */
export const isCompletion = (url: string, completionUrl: string): boolean =>
  URL.canParse(url) && new URL(url).href === completionUrl
