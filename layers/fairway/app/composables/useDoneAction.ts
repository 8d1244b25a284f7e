/** The action that this page has run last with success; lists that it may have changed look at it. */
export const useDoneAction = () => useState<{ name: string } | undefined>('done-action', () => undefined)
