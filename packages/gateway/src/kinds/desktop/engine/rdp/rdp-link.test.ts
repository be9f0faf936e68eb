import { Duplex, PassThrough } from 'node:stream';
import { type Contained, onContained } from '@gatehouse/tunnel/contain';
import { afterEach, expect, test, vi } from 'vitest';
import { recordedPdus } from '../../../../../testing/desktop/recorded-pdus.ts';
import { demandedSize } from '../../../../sessions/desktop/rdp-marks.ts';
import { RdpSegments } from '../../../../sessions/desktop/rdp-prelude.ts';
import type { DesktopEnd, DesktopTerms } from '../desktop-link.ts';
import { writeConnectInitial } from './connect-initial.ts';
import { BLOCK, connectResponse, gccBlock, hostChannels } from './gcc.ts';
import { openRdp } from './open-rdp.ts';
import { sealed } from './pdu.ts';
import { RdpLink } from './rdp-link.ts';
import { SECURITY } from './x224.ts';

const TERMS: DesktopTerms = {
  ...{ user: 'ann', domain: '', password: 'pw', serverName: 'host.test', width: 800, height: 600, scale: 100 },
  ...{ keyboard: 0, clipboard: true, drives: false, checkCertificate: () => undefined },
};
const links: RdpLink[] = [];

afterEach(() => {
  vi.useRealTimers();
  for (const link of links.splice(0)) link.close();
});

/** What is written to the stream is heard as of the host. */
function open() {
  const stream = new PassThrough();
  const link = new RdpLink(stream, TERMS, SECURITY.tls);
  links.push(link);
  const ends: DesktopEnd[] = [];
  link.onEnd((why) => void ends.push(why));
  return { link, ends, say: (pdu: Buffer) => void stream.emit('data', pdu) };
}

const attached = (user: number) => {
  const pdu = Buffer.alloc(11);
  pdu[7] = (11 << 2) | 2;
  pdu.writeUInt16BE(user, 9);
  return sealed(pdu);
};

test('a number of the user that fits into no later message ends the desktop at once, not in a timer', () => {
  const { ends, say } = open();
  say(attached(0xffff));

  expect(ends).toEqual([{ cause: 'failed', message: expect.stringContaining('a number that no user') }]);
});

test('a mistake of ours in what a host says ends that desktop, and is thrown at nobody', () => {
  const contained: Contained[] = [];
  const stop = onContained((each) => contained.push(each));
  const { link, ends, say } = open();
  link.onPicture(() => {
    throw new TypeError('a mistake');
  });

  expect(() => say(attached(6))).not.toThrow();
  stop();
  expect(ends).toEqual([{ cause: 'failed', message: expect.stringContaining('its log says why') }]);
  expect(contained).toEqual([expect.objectContaining({ where: 'desktop' })]);
});

test('a host that takes everything and never answers is left, though nobody ends the session', async () => {
  vi.useFakeTimers();
  const stream = new Duplex({ read() {}, write: (_bytes, _encoding, done) => done() });
  const opened = expect(openRdp(stream, TERMS, new AbortController().signal)).rejects.toThrow('in time');
  await vi.advanceTimersByTimeAsync(31_000);
  await opened;

  expect(stream.destroyed).toBe(true);
});

test('a host that describes its desktop anew without end is left: each time a recording repeats how it began', () => {
  const { link, ends, say } = open();
  const kept = { segments: new RdpSegments(), bytes: 0, pdus: 0 };
  link.onPicture((_, pdu) => {
    const { pdus } = pdu ? kept.segments.follow(pdu) : { pdus: [] };
    kept.pdus += pdus.length;
    for (const { length } of pdus) kept.bytes += length;
  });
  const said = recordedPdus().pdus.map(({ bytes }) => bytes);
  const at = said.findIndex((pdu) => demandedSize(pdu));
  const [joined, demand] = [said[at - 2], said[at]];
  if (!joined || !demand) throw new Error('no handshake was recorded');
  link.fromPage(
    writeConnectInitial({ width: 800, height: 600, scale: 100, keyboard: 0 }, 1, ['cliprdr', 'drdynvc']),
    'driver',
    false,
  );
  const blocks = [gccBlock(BLOCK.hostCore, Buffer.alloc(8)), gccBlock(BLOCK.hostSecurity, Buffer.alloc(8))];
  say(connectResponse([...blocks, hostChannels({ io: 1003, ids: [1004, 1005, 1006] })]));
  // As much as is kept of how it began, in the smallest pieces.
  say(Buffer.concat(Array.from({ length: 8_000 }, () => joined)));
  for (let round = 0; round < 1_000; round += 1) say(demand);

  expect(kept.bytes).toBeLessThan(8 * 1024 * 1024);
  expect(ends).toEqual([{ cause: 'failed', message: expect.stringContaining('without end') }]);
});
