import { X509Certificate } from 'node:crypto';
import { expect, test } from 'vitest';
import { makeAuthority, mintPair } from '../../platform/crypto/x509/mint.ts';
import { DOOR_FACTS, readDoorCertificate } from './door-certificate.ts';

const NOW = Date.UTC(2026, 0, 1);
const HOUR_MS = 3_600_000;
const authority = () => makeAuthority({ organization: 'c1', name: 'door', vouches: 'client', now: NOW });

async function world() {
  const [ours, other] = [await authority(), await authority()];
  const show = async (user: string) => {
    const facts = { user, signIn: 's1', database: 'shop', dbUser: 'app', dbName: 'shop', factor: 0 };
    const text = JSON.stringify(facts);
    const wanted = { vouches: 'client', subject: { name: user }, ttlMs: HOUR_MS, now: NOW } as const;
    const { cert } = await mintPair(ours, { ...wanted, facts: { oid: DOOR_FACTS, text } });
    return new X509Certificate(cert).raw;
  };
  return { show, trusted: [ours.cert], others: [other.cert] };
}

test('what a certificate says is read once, and each certificate has its own', async () => {
  const { show, trusted } = await world();
  const [ann, bob] = [await show('ann'), await show('bob')];
  const first = await readDoorCertificate(ann, { trusted, now: NOW });

  expect(first).toMatchObject({ user: 'ann', database: 'shop', dbUser: 'app' });
  expect(await readDoorCertificate(Buffer.from(ann), { trusted, now: NOW })).toBe(first);
  expect(Object.isFrozen(first)).toBe(true);
  expect(await readDoorCertificate(bob, { trusted, now: NOW })).toMatchObject({ user: 'bob' });
});

test('one that was read before is refused once it is over, and once nobody trusts who signed it', async () => {
  const { show, trusted, others } = await world();
  const raw = await show('ann');
  await readDoorCertificate(raw, { trusted, now: NOW });

  await expect(readDoorCertificate(raw, { trusted, now: NOW + HOUR_MS })).rejects.toThrow('is over');
  await expect(readDoorCertificate(raw, { trusted, now: NOW - HOUR_MS })).rejects.toThrow('is not valid yet');
  for (const believed of [others, []])
    await expect(readDoorCertificate(raw, { trusted: believed, now: NOW })).rejects.toThrow('not of this gateway');
  const changed = Buffer.from(raw);
  changed[changed.length - 1]! ^= 1;
  await expect(readDoorCertificate(changed, { trusted, now: NOW })).rejects.toThrow('not of this gateway');
  expect(await readDoorCertificate(raw, { trusted: [...others, ...trusted], now: NOW })).toMatchObject({ user: 'ann' });
});
