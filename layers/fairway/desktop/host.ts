/** A window that a person uses; closing it by this does not count as closed by the person. */
export interface DesktopWindow {
  close(): Promise<void>
}

export interface WindowInput {
  partition: string
  url: string
  /** Called with the whole address each time the window's own page (not a frame) has gone somewhere. */
  onNavigated(url: string): void
  /** Called once when the person closes it. */
  onClosed(): void
}

export interface HostRequest {
  method: 'GET' | 'POST' | 'DELETE'
  url: string
  headers?: Readonly<Record<string, string>>
  body?: string
  /** Aborted when the answer is no longer needed. */
  signal: AbortSignal
}

/** What the broker sees of an answer. There is no place for other headers, so that no cookie can pass. */
export interface HostAnswer {
  status: number
  /** The header `Location` as it was sent; null where there is none. */
  location: string | null
  body: string
}

/** The cookies of one partition, by name only: no value ever reaches the broker. */
export interface PartitionCookies {
  /** Removes the cookies, of any host, path and prefix, whose name is accepted. */
  remove(isRemoved: (name: string) => boolean): Promise<void>
  /** Tells the name of each cookie that appears or changes from now on; what it gives ends that. */
  onAdded(listener: (name: string) => void): () => void
}

/** What the broker needs of the program around it. A partition is a store of cookies of its own, kept over restarts. */
export interface DesktopHost {
  openWindow(input: WindowInput): Promise<DesktopWindow>
  /**
   * One HTTP request with the cookies of a partition, which keeps what the answer sets. Follows no redirect.
   * Its user agent, like that of windows, ends with `Fairway-Desktop/<version>`.
   */
  request(partition: string, request: HostRequest): Promise<HostAnswer>
  cookies(partition: string): PartitionCookies
  /** Settings of this device; values are plain JSON without anything secret. */
  preferences: {
    get(key: string): Promise<unknown>
    set(key: string, value: unknown): Promise<void>
  }
  /** Milliseconds since 1970. */
  now(): number
  /** Does the work once, after so many milliseconds; what it gives takes it back. */
  after(milliseconds: number, work: () => void): () => void
}

/** Where the hub's cookies are. No application is ever shown in it. */
export const HUB_PARTITION = 'persist:fairway-workspace'

/** Where the cookies of one application are, and in which a shell shows it. */
export const appPartition = (appId: string): string => `persist:fairway-app-${appId}`
