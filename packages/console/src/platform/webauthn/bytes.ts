/** Bytes as the wire writes them: standard base64 comes in (base64url is taken as well), unpadded base64url goes out. */

export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  const standard = text.replaceAll('-', '+').replaceAll('_', '/');
  return Uint8Array.from(atob(standard), (character) => character.charCodeAt(0));
}

export function toBase64url(bytes: ArrayBuffer): string {
  return toBase64(new Uint8Array(bytes)).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

/** Passwords travel so: their UTF-8 bytes in standard base64. */
export function encodeText(text: string): string {
  return toBase64(new TextEncoder().encode(text));
}

function toBase64(bytes: Uint8Array): string {
  let binary = '';
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary);
}
