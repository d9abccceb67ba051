import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto'

/**
 * Encrypts a secret for storage. `boundTo` names the row that stores it, as additional authenticated data: copied into
 * another account's row, it cannot be decrypted.
 */
export function seal(secretKey: Buffer, secret: string, boundTo: string): string {
  const nonce = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', secretKey, nonce).setAAD(Buffer.from(boundTo))
  const sealed = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final(), cipher.getAuthTag()])
  return [keyIdOf(secretKey), nonce.toString('base64url'), sealed.toString('base64url')].join('.')
}

/** Throws when it was sealed with another key, for another row, or changed since. */
export function unseal(secretKey: Buffer, text: string, boundTo: string): string {
  const [keyId, nonce = '', body = ''] = text.split('.')
  if (keyId !== keyIdOf(secretKey)) throw new Error('a secret in the database was sealed with another SECRET_KEY')
  const sealed = Buffer.from(body, 'base64url')
  const decipher = createDecipheriv('aes-256-gcm', secretKey, Buffer.from(nonce, 'base64url'), { authTagLength: 16 })
  decipher.setAAD(Buffer.from(boundTo)).setAuthTag(sealed.subarray(-16))
  return Buffer.concat([decipher.update(sealed.subarray(0, -16)), decipher.final()]).toString('utf8')
}

/** Identifies a key without revealing it. */
function keyIdOf(secretKey: Buffer): string {
  return createHash('sha256').update('patchbay key id').update(secretKey).digest('hex').slice(0, 8)
}
