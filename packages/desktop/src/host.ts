/** A window that a person uses; closing it through this interface does not count as closed by the person. */
export interface DesktopWindow {
  close(): Promise<void>
}

export interface WindowInput {
  partition: string
  url: string
  /** Called with the full address after each navigation of the window's own page (not of a frame). */
  onNavigated(url: string): void
  /** Called once, when the person closes the window. */
  onClosed(): void
}

export interface HostRequest {
  method: 'GET' | 'POST' | 'DELETE'
  url: string
  headers?: Readonly<Record<string, string>>
  body?: string
  /** Aborted when the response is no longer needed. */
  signal: AbortSignal
}

/** The parts of a response that the broker sees. It has no field for other headers, so that no cookie can pass. */
export interface HostAnswer {
  status: number
  /** The header `Location` as sent; null when it is missing. */
  location: string | null
  body: string
}

/** The cookies of one partition, by name only: no value ever reaches the broker. */
export interface PartitionCookies {
  /** Removes the cookies whose name is accepted, for every host, path and prefix. */
  remove(isRemoved: (name: string) => boolean): Promise<void>
  /** Reports the name of each cookie that appears or changes; the returned function unsubscribes. */
  onAdded(listener: (name: string) => void): () => void
}

/**
 * The functions that the broker needs from the program around it. A partition is a separate store of cookies that survives
 * restarts.
 */
export interface DesktopHost {
  openWindow(input: WindowInput): Promise<DesktopWindow>
  /**
   * Sends one HTTP request with the cookies of a partition and stores the cookies of the response. Does not follow redirects. Its
   * user agent, like that of windows, ends with `Fairway-Desktop/<version>`.
   */
  request(partition: string, request: HostRequest): Promise<HostAnswer>
  cookies(partition: string): PartitionCookies
  /** Settings of this device; values are plain JSON without secrets. */
  preferences: {
    get(key: string): Promise<unknown>
    set(key: string, value: unknown): Promise<void>
  }
  /** Milliseconds since 1970. */
  now(): number
  /** Runs the work once, after this many milliseconds; the returned function cancels it. */
  after(milliseconds: number, work: () => void): () => void
}

/** The partition with the hub's cookies. It never shows an application. */
export const HUB_PARTITION = 'persist:fairway-workspace'

/** The partition with the cookies of one application; the shell shows the application in it. */
export const appPartition = (appId: string): string => `persist:fairway-app-${appId}`
