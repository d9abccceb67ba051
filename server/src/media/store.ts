export async function storeMedia(...a: unknown[]): Promise<string> { throw new Error('soon') }
export async function attach(...a: unknown[]): Promise<void> {}
