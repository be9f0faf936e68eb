/** Fingerprints of certificates as people copy them: with colons, spaces or capitals, with or without the name of the hash. */

/** As the gateway writes it, where it could be one; else as it was typed. */
export function pinOf(text: string): string {
  const digits = text
    .trim()
    .replace(/^sha-?256[:= ]*(?:fingerprint=)?/i, '')
    .replaceAll(/[\s:-]/g, '')
    .toLowerCase();
  return /^[0-9a-f]{64}$/.test(digits) ? `sha256:${digits}` : text.trim();
}
