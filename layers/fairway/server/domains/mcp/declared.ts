/** A declaration and the name of the file that holds it. */
export interface Declared<T> {
  name: string
  declaration: T
}
