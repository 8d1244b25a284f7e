const PHONES = new Set(['Android', 'Bada', 'BlackBerry', 'HarmonyOS', 'iOS', 'Windows Phone'])

/** The icon of a device: a phone for the systems of phones, a screen for everything else. */
export const deviceIcon = (system: string | null): string =>
  system !== null && PHONES.has(system) ? 'i-lucide-smartphone' : 'i-lucide-monitor'
