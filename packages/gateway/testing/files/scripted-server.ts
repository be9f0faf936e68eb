/** A server that answers SFTP as a test tells it to, right or wrong. */
import { Duplex } from 'node:stream';
import { ANSWER, REQUEST, STATUS } from '@gatehouse/contract/kinds/node/files/sftp';
import { encodePacket, type Field } from '@gatehouse/tunnel/sftp/encode-packet';
import { FieldReader, serverPackets } from '../../src/kinds/node/files/sftp/fields.ts';
import { SftpClient } from '../../src/kinds/node/files/sftp/sftp-client.ts';

export interface SftpRequest {
  id: number;
  type: number;
  body: FieldReader;
  /** The number of this request among those of its type, from 1. */
  nth: number;
}

/** What to answer: the type and the fields after the number of the request; undefined: nothing at all. */
export type Reply = { type: number; fields: readonly Field[]; id?: number } | undefined;

export interface ScriptedServer {
  client: SftpClient;
  /** Types of the requests, in order. */
  asked: number[];
}

export const status = (code: number, said = ''): Reply => ({ type: ANSWER.status, fields: [code, said, ''] });
export const ok = status(STATUS.ok);
export const handle: Reply = { type: ANSWER.handle, fields: ['h'] };

/** All there is about a file: size, owner, mode, times. */
export function attributes(mode: number, size = 0): { raw: Uint8Array } {
  const packet = encodePacket(0, [1 | 4, BigInt(size), mode]);
  return { raw: packet.subarray(5) };
}

export function names(...listed: readonly { name: string | Uint8Array; mode?: number; size?: number }[]): Reply {
  const fields = listed.flatMap(({ name, mode = 0o100644, size = 0 }): Field[] => [name, '', attributes(mode, size)]);
  return { type: ANSWER.name, fields: [listed.length, ...fields] };
}

export async function scriptedServer(
  answer: (asked: SftpRequest) => Reply,
  extensions: string[] = [],
): Promise<ScriptedServer> {
  const packets = serverPackets();
  const asked: number[] = [];
  const counts = new Map<number, number>();
  const stream: Duplex = new Duplex({
    read() {},
    write(bytes: Buffer, _encoding, done) {
      for (const packet of packets.push(bytes)) {
        const type = packet[0] ?? 0;
        const body = new FieldReader(packet, 1);
        const id = body.uint32();
        if (type === REQUEST.init) {
          stream.push(encodePacket(ANSWER.version, [3, ...extensions.flatMap((name) => [name, '1'])]));
          continue;
        }
        asked.push(type);
        const nth = (counts.get(type) ?? 0) + 1;
        counts.set(type, nth);
        const reply = answer({ id, type, body, nth });
        if (reply) stream.push(encodePacket(reply.type, [reply.id ?? id, ...reply.fields]));
      }
      done();
    },
  });
  return { client: await SftpClient.greet(stream), asked };
}
