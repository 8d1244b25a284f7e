// The address of something that can be called over HTTP: a method, and a path with parameters.

/** In the order of `Allow`. */
export const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const
export type Method = (typeof METHODS)[number]

/** The names of the parameters of a path: `id` for `/api/reports/:id`. */
export type ParametersIn<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | ParametersIn<Rest>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never

/** The same at run time. */
export const parametersIn = (path: string): string[] => [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name)

/** Returns an error for an action with an address that the build could not read. */
export const unreadAddress = ({ address }: { address?: object }, isRead: boolean): string[] =>
  address && !isRead
    ? ['method and path must be texts in `export default defineAction({ … })`, because the build reads them there']
    : []
