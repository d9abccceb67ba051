/** What is used of WebAssembly: TypeScript knows it only with everything else that a browser has. */
type WebAssembly = {
  Memory: new (size: { initial: number; maximum: number; shared: true }) => Memory
  Module: new (code: Uint8Array) => Module
  Instance: new (module: Module, imports: { env: { memory: Memory } }) => { exports: object }
}
export type Memory = { readonly buffer: SharedArrayBuffer }
type Module = object

// As unknown: where the types of a browser are known too, they say nothing of memory that is shared.
const known: unknown = Reflect.get(globalThis, 'WebAssembly')
export const { Memory, Module, Instance } = known as WebAssembly
