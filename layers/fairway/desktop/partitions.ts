/** Where the hub's cookies are. No application is ever shown in it. */
export const HUB_PARTITION = 'persist:fairway-workspace'

/** Where the cookies of one application are, and in which a shell shows it. */
export const appPartition = (appId: string): string => `persist:fairway-app-${appId}`
