/** Writes SFTP packets. */

/** number: 32 bits; bigint: 64 bits; bytes and text: with their length before them; raw: as they are. */
export type Field = number | bigint | string | Uint8Array | { raw: Uint8Array };

export function encodePacket(type: number, fields: readonly Field[]): Buffer {
  const parts = fields.flatMap(encodeField);
  const length = parts.reduce((sum, part) => sum + part.length, 1);
  const head = Buffer.alloc(5);
  head.writeUInt32BE(length, 0);
  head[4] = type;
  return Buffer.concat([head, ...parts], length + 4);
}

export function encodeField(field: Field): Uint8Array[] {
  if (typeof field === 'number') {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32BE(field >>> 0, 0);
    return [bytes];
  }
  if (typeof field === 'bigint') {
    const bytes = Buffer.alloc(8);
    bytes.writeBigUInt64BE(field, 0);
    return [bytes];
  }
  if (typeof field === 'object' && 'raw' in field) return [field.raw];
  const bytes = typeof field === 'string' ? Buffer.from(field) : field;
  return [...encodeField(bytes.length), bytes];
}
