/** Files of an agent in memory: one without end, and a place where everything can be written. */

import type { Duplex } from 'node:stream';
import { ANSWER, REQUEST, STATUS } from '@gatehouse/contract/kinds/node/files/sftp';
import { encodePacket } from '@gatehouse/tunnel/sftp/encode-packet';
import { FieldReader, serverPackets } from '../../src/kinds/node/files/sftp/fields.ts';
import { attributes, handle, names, ok, type Reply, status } from './scripted-server.ts';

const ENDLESS = 1e12;

function answer(type: number, body: FieldReader): Reply {
  if (type === REQUEST.realpath) return names({ name: '/home' });
  if (type === REQUEST.open) return handle;
  if (type === REQUEST.fstat) return { type: ANSWER.attributes, fields: [attributes(0o100644, ENDLESS)] };
  if (type === REQUEST.stat || type === REQUEST.lstat) {
    const path = body.bytes().toString();
    if (path.endsWith('/endless')) return { type: ANSWER.attributes, fields: [attributes(0o100644, ENDLESS)] };
    if (path === '/' || path === '/home') return { type: ANSWER.attributes, fields: [attributes(0o040755)] };
    return status(STATUS.noSuchFile);
  }
  if (type !== REQUEST.read) return ok;
  body.bytes();
  body.uint64();
  return { type: ANSWER.data, fields: [Buffer.alloc(body.uint32(), 'x')] };
}

export function serveEndlessFiles(stream: Duplex): void {
  const packets = serverPackets();
  stream.on('data', (bytes: Buffer) => {
    for (const packet of packets.push(bytes)) {
      const [type, body] = [packet[0] ?? 0, new FieldReader(packet, 1)];
      const id = body.uint32();
      const reply = type === REQUEST.init ? undefined : answer(type, body);
      if (type === REQUEST.init) stream.write(encodePacket(ANSWER.version, [3]));
      else if (reply) stream.write(encodePacket(reply.type, [id, ...reply.fields]));
    }
  });
}
