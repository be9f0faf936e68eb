/** Hosts of desktops that lie before anything is drawn: what they choose, CredSSP with the challenge of NTLM in it, and each way in of VNC. Read as the gateway reads it, over a stream that is none. */
import { createDiffieHellman } from 'node:crypto';
import { Duplex } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { ByteSource } from '@gatehouse/gateway/kinds/desktop/engine/byte-source';
import { DesktopFailure } from '@gatehouse/gateway/kinds/desktop/engine/desktop-link';
import { signInByCredssp } from '@gatehouse/gateway/kinds/desktop/engine/rdp/credssp';
import { tlv } from '@gatehouse/gateway/kinds/desktop/engine/rdp/der';
import { readX224Confirm } from '@gatehouse/gateway/kinds/desktop/engine/rdp/x224';
import { tryVnc, type VncTerms } from '@gatehouse/gateway/kinds/desktop/engine/rfb/open-vnc';
import { makeCertificate } from '@gatehouse/tunnel/testing/certificate';
import { ODD_NUMBERS, type Random } from '../random.ts';
import type { FuzzTarget } from '../target.ts';

const PASSWORD = 'pw-5ecret-of-the-desktop';
const ACCOUNT = { user: 'ann', domain: 'CORP', password: PASSWORD };
const TERMS: VncTerms = {
  ...{ ...ACCOUNT, serverName: 'desk', width: 640, height: 480, scale: 100, keyboard: 0 },
  ...{ clipboard: false, drives: false, mayBePlain: true, mustBeSecure: false },
  checkCertificate: () => undefined,
};
/** Nothing here waits for a machine: it answers, or it has ended. */
const PATIENCE_MS = 20_000;

export const desktopSignIns: FuzzTarget = {
  name: 'desktop-sign-ins',
  what: 'messages',
  secure: false,
  throwers: 4,
  async prepare() {
    const { cert } = await makeCertificate(['host.test']);
    const leaf = Buffer.from(cert.replace(/-----[^-]+-----|\s/g, ''), 'base64');
    const prime = createDiffieHellman(512).getPrime();
    return {
      async throwOnce(random) {
        const how = random.below(4);
        if (how === 0) return await tell(random, confirms(random), (_, source) => readX224Confirm(source));
        if (how < 3)
          return await tell(random, nla(random), (stream, source) =>
            signInByCredssp(stream, source, { leaf, trust: random.pick([undefined, 'unproven'] as const) }, ACCOUNT),
          );
        return await tell(random, vnc(random, prime), (stream, _, signal) => tryVnc(stream, TERMS, signal, () => {}));
      },
      close: async () => {},
    };
  },
};

/** Each answer is said when the gateway has said something. Only words of ours may come of it. */
async function tell(
  random: Random,
  script: readonly Buffer[],
  listen: (stream: Duplex, source: ByteSource, signal: AbortSignal) => Promise<unknown>,
): Promise<number> {
  const answers = script.map((answer) => (random.chance(0.75) ? answer : random.mutate(answer)));
  const count = answers.length;
  const said: Buffer[] = [];
  const stream = new Duplex({
    read() {},
    write(bytes: Buffer, _, done) {
      said.push(bytes);
      this.push(answers.shift() ?? null);
      done();
    },
  });
  const signal = AbortSignal.timeout(PATIENCE_MS);
  const source = new ByteSource(stream, 'sign_in', signal);
  const heard = listen(stream, source, signal).catch((error: unknown) => {
    if (!(error instanceof DesktopFailure)) throw error;
    // Of OpenSSL: an address in the memory of the gateway stands before it.
    if (/[0-9A-F]{8}:error:/.test(error.message)) throw new Error(`it says too much: ${error.message}`);
    if (signal.aborted) throw new Error(`it waits for a host that has gone: ${error.message}`);
  });
  let isOver = false;
  const over = () => {
    isOver = true;
  };
  heard.then(over, over);
  // What is too short is waited for: a host goes on, and goes, without being answered.
  while (!isOver && !stream.destroyed && !stream.readableEnded) {
    const before = said.length;
    for (let turn = 0; turn < 4; turn += 1) await setImmediate();
    if (said.length === before) stream.push(answers.shift() ?? null);
  }
  await heard;
  stream.destroy();
  const told = Buffer.concat(said);
  for (const encoding of ['utf8', 'utf16le'] as const)
    if (told.includes(Buffer.from(PASSWORD, encoding))) throw new Error('the password was said as it is');
  return count;
}

const odd = (random: Random, sound: number, limit: number) =>
  random.chance(0.95) ? sound : random.pick(ODD_NUMBERS.filter((number) => number <= limit));

function confirms(random: Random): Buffer[] {
  const length = odd(random, 19, 0xffff);
  const [type, chosen] = [random.pick([2, 3, 0]), random.below(16)];
  return [Buffer.from([3, 0, length >> 8, length & 0xff, 14, 0xd0, 0, 0, 0, 0, 0, type, 0, 8, 0, chosen, 0, 0, 0])];
}

function nla(random: Random): Buffer[] {
  const version = tlv(0xa0, tlv(0x02, Buffer.of(random.pick([2, 4, 5, 6]))));
  const begun = tlv(0x30, version, tlv(0xa1, tlv(0x30, tlv(0x30, tlv(0xa0, tlv(0x04, challenge(random)))))));
  const proof = random.chance(0.8)
    ? tlv(0xa3, tlv(0x04, random.bytes(random.below(60))))
    : tlv(0xa4, tlv(0x02, random.bytes(1 + random.below(5))));
  return [begun, tlv(0x30, version, proof)];
}

function challenge(random: Random): Buffer {
  const pairs: Buffer[] = [];
  for (let left = random.below(random.chance(0.9) ? 6 : 100); left > 0; left -= 1) {
    const value = random.bytes(random.pick([0, 4, 8, 20]));
    const head = Buffer.alloc(4);
    head.writeUInt16LE(random.pick([1, 2, 6, 7, 7, 9]), 0);
    head.writeUInt16LE(odd(random, value.length, 0xffff), 2);
    pairs.push(head, value);
  }
  if (random.chance(0.9)) pairs.push(Buffer.alloc(4));
  const info = Buffer.concat(pairs);
  const message = Buffer.alloc(56);
  message.write('NTLMSSP\0', 'latin1');
  message.writeUInt32LE(odd(random, 2, 0xffff_ffff), 8);
  message.writeUInt32LE(random.chance(0.9) ? 0xe2888235 : random.below(2 ** 32), 20);
  random.bytes(8).copy(message, 24);
  message.writeUInt16LE(odd(random, info.length, 0xffff), 40);
  message.writeUInt32LE(odd(random, 56, 0xffff_ffff), 44);
  return Buffer.concat([message, info]);
}

function vnc(random: Random, prime: Buffer): Buffer[] {
  const version = Buffer.from(random.pick(['RFB 003.008\n', 'RFB 003.007\n', 'RFB 003.003\n', 'RFB 003.889\n']));
  const way = random.pick([1, 2, 19, 30]);
  const isOld = version[10] === 0x33;
  const offered = isOld ? Buffer.of(0, 0, 0, way) : Buffer.of(1, way);
  const result = Buffer.of(0, 0, 0, odd(random, 0, 255));
  const why = Buffer.concat([Buffer.of(0, 0, 0, odd(random, 4, 255)), Buffer.from('no!\n')]);
  const end = random.chance(0.5) ? [result] : [Buffer.concat([Buffer.of(0, 0, 0, 1), why])];
  if (way === 2) return [version, offered, random.bytes(16), ...end];
  if (way === 30) return [version, offered, appleKey(random, prime), ...end];
  if (way === 19) {
    const forms = Buffer.concat([262, 261, 260].map((form) => Buffer.of(0, 0, 1, form & 0xff)));
    const tls = random.chance(0.5) ? Buffer.of(1) : Buffer.concat([Buffer.of(1), random.bytes(40)]);
    return [version, offered, Buffer.of(0, 2), Buffer.concat([Buffer.of(0, 3), forms]), tls, random.bytes(200)];
  }
  return [version, offered, ...end];
}

/** A generator, a length, a prime, a key. */
function appleKey(random: Random, prime: Buffer): Buffer {
  const length = odd(random, prime.length, 0xffff);
  const chosen = random.chance(0.7) ? prime : random.pick([Buffer.alloc(64), Buffer.alloc(64, 255), random.bytes(256)]);
  return Buffer.concat([
    Buffer.of(0, random.below(6), length >> 8, length & 0xff),
    chosen,
    random.bytes(chosen.length),
  ]);
}
