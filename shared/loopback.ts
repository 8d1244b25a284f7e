const NAMES = ['localhost', '127.0.0.1', '[::1]']

/** Whether a host name, as `URL` gives it, is this machine. */
export const isLoopbackHost = (hostname: string): boolean => NAMES.includes(hostname)
