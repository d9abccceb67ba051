export type GivenMedia = { kind: 'inline'; contentType: string; bytes: Buffer } | { kind: 'remote'; contentType: string; url: string }
export async function readGivenMedia(a: string | undefined, b: string | undefined): Promise<GivenMedia | undefined> { throw new Error('soon') }
