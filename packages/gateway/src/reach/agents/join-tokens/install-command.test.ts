import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Certificate } from '../../../platform/tls/certificate.ts';
import { selfMadeCertificate } from '../../../platform/tls/self-made.ts';
import { type GatewayEndpoint, installCommand, joinEndpoint, publicKeyPin } from './install-command.ts';

const token = '0123456789abcdef0123456789abcdef';
let folder: string;
let selfMade: Certificate;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-tls-'));
  selfMade = await selfMadeCertificate({ dataDir: folder, names: ['localhost', '127.0.0.1'], now: Date.now() });
});
afterAll(() => rmSync(folder, { recursive: true }));

function place(over: Partial<GatewayEndpoint['config']> = {}, certificate?: Certificate): GatewayEndpoint {
  const config = { listen: { host: '127.0.0.1', port: 3080 }, proxy: { behind: false, trusted: [] }, ...over };
  return {
    config,
    publicOrigin: () => config.publicAddr?.origin ?? 'https://localhost:3080',
    certificate: () => certificate,
  };
}
const everywhere = { listen: { host: '0.0.0.0', port: 3080 } };
const publicAddr = { host: 'gate.example.com', port: 443, origin: 'https://gate.example.com' };

describe('where machines find the gateway', () => {
  test('by its public address, without a warning', () => {
    expect(joinEndpoint(place({ ...everywhere, publicAddr }), 'https://10.0.0.1')).toEqual({
      origin: 'https://gate.example.com',
      pin: undefined,
      warning: undefined,
    });
  });

  test('without one, by what the caller came by', () => {
    expect(joinEndpoint(place(everywhere), 'https://10.0.0.1:3080')).toMatchObject({
      origin: 'https://10.0.0.1:3080',
      warning: undefined,
    });
  });

  test.each(["https://x'$(reboot)", 'https://a b', 'https://localhost:1', 'javascript:0', "https://';id;'"])(
    'not by %s',
    (origin) => {
      expect(joinEndpoint(place(everywhere), origin)).toMatchObject({
        origin: 'https://localhost:3080',
        warning: expect.stringContaining("'publicAddr'"),
      });
    },
  );

  test('on loopback there is a warning', () => {
    expect(joinEndpoint(place(), 'https://localhost:3080').warning).toContain('it listens on 127.0.0.1');
  });
});

describe('the command', () => {
  test('for an application names it in the address, encoded', () => {
    const named = { kind: 'app' as const, values: { name: 'books', uri: 'http://localhost:3000/a' } };

    expect(installCommand({ origin: 'https://gate.example.com', pin: undefined, token, named })).toBe(
      `sudo sh -c "$(curl -fsSL 'https://gate.example.com/scripts/${token}/install-app.sh?name=books&uri=http%3A%2F%2Flocalhost%3A3000%2Fa')"`,
    );
  });

  test('pins the public key where the gateway made its certificate itself', () => {
    const { origin, pin } = joinEndpoint(place({ ...everywhere, publicAddr }, selfMade), '');

    expect(installCommand({ origin, pin, token })).toBe(
      `sudo sh -c "$(curl -fsSL -k --pinnedpubkey '${publicKeyPin(selfMade)}' 'https://gate.example.com/scripts/${token}/install-node.sh')"`,
    );
  });

  test('pins nothing behind a proxy, which shows a certificate of its own, nor under an authority machines know', () => {
    const proxy = { behind: true, trusted: ['10.0.0.1'] };
    expect(joinEndpoint(place({ ...everywhere, publicAddr, proxy }, selfMade), '').pin).toBeUndefined();
    expect(joinEndpoint(place({ publicAddr }, { ...selfMade, vouchedFor: true }), '').pin).toBeUndefined();
  });
});
