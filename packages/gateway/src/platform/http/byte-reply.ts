/** A reply of bytes that are sent as they come: files, archives. A caller that reads slowly makes their source wait. */
import type { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';

export interface ByteReply {
  status: 200 | 206 | 304 | 416;
  headers: Readonly<Record<string, string>>;
  /** Undefined: there is nothing to send. */
  bytes: Readable | undefined;
}

/** Whatever the bytes are, no browser may take them for a page or a script of this gateway. */
const HARMLESS = {
  'content-type': 'application/octet-stream',
  'content-security-policy': "default-src 'none'; sandbox; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
} as const;

export function sendBytes(reply: FastifyReply, { status, headers, bytes }: ByteReply): FastifyReply {
  reply.status(status).headers({ ...HARMLESS, ...headers });
  return bytes ? reply.send(bytes) : reply.send('');
}

/** A name for saving, in the forms that old and new browsers read; what a header cannot carry is left out of the first. */
export function attachmentNamed(name: string): string {
  const plain = name.replaceAll(/[^\w.\- ()]/g, '_').slice(0, 150) || 'download';
  const encoded = encodeURIComponent(name.toWellFormed()).replaceAll(
    /['()*!]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`;
}
