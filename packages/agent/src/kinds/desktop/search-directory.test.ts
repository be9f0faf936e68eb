import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer, type Server, type TLSSocket } from 'node:tls';
import { makeCertificate } from '@gatehouse/tunnel/testing/certificate';
import { afterEach, expect, test } from 'vitest';
import { searchDirectory } from './search-directory.ts';

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

const [BIND, SEARCH] = [0x60, 0x63];
const OK = [0x0a, 1, 0, 4, 0, 4, 0];
const PAGED = Buffer.from('1.2.840.113556.1.4.319');
const tlv = (tag: number, ...parts: (Buffer | readonly number[])[]) => {
  const body = Buffer.concat(parts.map((part) => Buffer.from(part)));
  return Buffer.concat([Buffer.of(tag, body.length), body]);
};
const MORE = tlv(0xa0, tlv(0x30, tlv(4, PAGED), tlv(4, tlv(0x30, [2, 1, 0], tlv(4, Buffer.from('more'))))));
/** Always one page more. */
const done = (id: Buffer) => tlv(0x30, id, tlv(0x65, OK), MORE);
const entry = (id: Buffer, dn: string) => tlv(0x30, id, tlv(0x64, tlv(4, Buffer.from(dn)), tlv(0x30)));
const reference = (id: Buffer) => tlv(0x30, id, tlv(0x73, tlv(4, Buffer.from('ldaps://other'))));

/** Counts the pages that it was asked for. */
async function startDirectory(page: (id: Buffer, nth: number) => Buffer[]) {
  const certificate = await makeCertificate(['localhost']);
  const asked = { pages: 0 };
  const answer = (socket: TLSSocket) => (request: Buffer) => {
    // The length of a message is written in one byte or in several, as its first says.
    const at = 2 + (request[1]! & 0x80 ? request[1]! & 0x7f : 0);
    const id = request.subarray(at, at + 2 + request[at + 1]!);
    const what = request[at + id.length];
    if (what === BIND) socket.write(tlv(0x30, id, tlv(0x61, OK)));
    if (what !== SEARCH) return;
    asked.pages += 1;
    socket.write(Buffer.concat([...page(id, asked.pages), done(id)]));
  };
  const server: Server = createServer({ cert: certificate.cert, key: certificate.key }, (socket) => {
    socket.on('error', () => {});
    socket.on('data', answer(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const folder = mkdtempSync(join(tmpdir(), 'directory-'));
  const passwordFile = join(folder, 'password');
  writeFileSync(passwordFile, 'secret');
  closers.push(() => {
    server.close();
    rmSync(folder, { recursive: true });
  });
  const url = `ldaps://localhost:${(server.address() as AddressInfo).port}`;
  return { asked, url, passwordFile, ca: certificate.ca };
}

const search = ({ asked: _, ...place }: Awaited<ReturnType<typeof startDirectory>>) =>
  searchDirectory({ ...place, bindDn: 'cn=agent', baseDn: 'dc=corp', labelAttributes: [] } as never, 10);

test('a directory that sends nothing but names of others is not asked for ever', async () => {
  const directory = await startDirectory((id) => [reference(id)]);

  await expect(search(directory)).rejects.toThrow('with nothing in them');
  expect(directory.asked.pages).toBeLessThan(30);
});

test('an empty page is not taken for the end of the list', async () => {
  const later = await startDirectory((id, nth) => (nth === 1 ? [entry(id, 'cn=a')] : []));
  expect(await search(later)).toMatchObject({ computers: [{ dn: 'cn=a' }], isWhole: false });

  const first = await startDirectory((id, nth) => (nth === 1 ? [] : [entry(id, 'cn=a')]));
  await expect(search(first)).rejects.toThrow('though it holds computers');

  const none = await startDirectory(() => []);
  expect(await search(none)).toEqual({ computers: [], isWhole: true });
});
