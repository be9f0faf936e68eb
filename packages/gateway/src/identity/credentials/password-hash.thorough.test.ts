import { expect, test } from 'vitest';
import {
  ARGON2_LANES,
  ARGON2_MEMORY_KIB,
  ARGON2_PASSES,
  checkPasswordLength,
  HASHES_AT_ONCE,
  HASHES_WAITING_MAX,
  hashPassword,
  verifyNobody,
  verifyPassword,
} from './password-hash.ts';

const REFUSED = { ok: false, rehash: false };
const PASSWORD = 'correct horse';
/** From the test vectors of the argon2 reference program, for the password "password". */
const REFERENCE = '$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc';

test('a password is known again, and another one is not', async () => {
  const phc = await hashPassword(PASSWORD);

  expect(await verifyPassword(PASSWORD, phc)).toEqual({ ok: true, rehash: false });
  expect(await verifyPassword('correct horsf', phc)).toEqual(REFUSED);
  expect(await verifyPassword(`${PASSWORD}\0`, phc)).toEqual(REFUSED);
  expect(await verifyPassword('', phc)).toEqual(REFUSED);
});

test('the hash says how it was made, does not repeat, and does not show the password', async () => {
  const [one, two] = await Promise.all([hashPassword(PASSWORD), hashPassword(PASSWORD)]);

  expect(one).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
  expect(one).not.toBe(two);
  expect(one).not.toContain(PASSWORD);
});

test("today's parameters are no weaker than OWASP asks", () => {
  const allowed = [
    [47_104, 1],
    [19_456, 2],
    [12_288, 3],
    [9_216, 4],
    [7_168, 5],
  ] as const;

  expect(ARGON2_LANES).toBe(1);
  expect(allowed.some(([kib, passes]) => ARGON2_MEMORY_KIB >= kib && ARGON2_PASSES >= passes)).toBe(true);
});

test('a hash made elsewhere with other parameters is right, and asks to be made again', async () => {
  expect(await verifyPassword('password', REFERENCE)).toEqual({ ok: true, rehash: true });
  expect(await verifyPassword('Password', REFERENCE)).toEqual(REFUSED);
});

test('the same letters typed on another system are the same password', async () => {
  const phc = await hashPassword('Schlüssel'.normalize('NFC'));

  expect(await verifyPassword('Schlüssel'.normalize('NFD'), phc)).toEqual({ ok: true, rehash: false });
  expect(await verifyPassword('Schlussel', phc)).toEqual(REFUSED);
});

test.each([
  ['of five letters', 'abcde', /too short: it needs at least 6 characters/],
  ['of nothing', '', /too short/],
  ['of 129 bytes', 'a'.repeat(129), /too long: at most 128 bytes/],
  ['of 65 letters of two bytes', 'ü'.repeat(65), /too long/],
])('a password %s is not taken', async (_, plain, words) => {
  expect(() => checkPasswordLength(plain)).toThrow(words);
  await expect(hashPassword(plain)).rejects.toMatchObject({
    code: 'bad_request',
    message: expect.stringMatching(words),
  });
});

test.each([['abcdef'], ['a'.repeat(128)], ['ü'.repeat(64)], ['ü'.repeat(3)]])(
  'a password between the two limits is taken (case %#)',
  async (plain) => {
    expect(await verifyPassword(plain, await hashPassword(plain))).toEqual({ ok: true, rehash: false });
  },
);

test.each([
  ['empty', ''],
  ['plain text', PASSWORD],
  ['of another algorithm', REFERENCE.replace('argon2id', 'argon2i')],
  ['of an older version', REFERENCE.replace('v=19', 'v=16')],
  ['without version', REFERENCE.replace('v=19$', '')],
  ['asking for all memory', REFERENCE.replace('m=65536', 'm=9999999')],
  ['asking for more memory than a number holds', REFERENCE.replace('m=65536', 'm=99999999999999999999')],
  ['asking for hours', REFERENCE.replace('t=2', 't=99')],
  ['asking for no pass', REFERENCE.replace('t=2', 't=0')],
  ['asking for less memory than lanes need', REFERENCE.replace('m=65536,t=2,p=1', 'm=9,t=2,p=2')],
  ['with an empty tag', REFERENCE.replace(/\$[^$]+$/, '$')],
  ['with a tag of one byte', REFERENCE.replace(/\$[^$]+$/, '$CT')],
  ['with an empty salt', REFERENCE.replace('$c29tZXNhbHQ$', '$$')],
  ['with an endless tag', `${REFERENCE}${'A'.repeat(1_000_000)}`],
  ['followed by a line break', `${REFERENCE}\n`],
  ['missing', undefined],
  ['a number', 7],
])('a stored hash that is %s refuses and does not throw', async (_, phc) => {
  expect(await verifyPassword('password', phc as string)).toEqual(REFUSED);
});

test('nobody costs as much time as somebody, and so does a damaged row', async () => {
  const phc = await hashPassword(PASSWORD);
  const fastest = {
    somebody: Number.POSITIVE_INFINITY,
    nobody: Number.POSITIVE_INFINITY,
    damaged: Number.POSITIVE_INFINITY,
  };
  for (let round = 0; round < 8; round++) {
    fastest.somebody = Math.min(fastest.somebody, await took(() => verifyPassword('wrong one', phc)));
    fastest.nobody = Math.min(fastest.nobody, await took(() => verifyNobody('wrong one')));
    fastest.damaged = Math.min(fastest.damaged, await took(() => verifyPassword('wrong one', 'x')));
  }

  // The cheapest of several is steady on a busy machine; without the work it would be a thousandth.
  expect(fastest.nobody / fastest.somebody).toBeGreaterThan(0.5);
  expect(fastest.nobody / fastest.somebody).toBeLessThan(2);
  expect(fastest.damaged / fastest.somebody).toBeGreaterThan(0.5);
  expect(fastest.damaged / fastest.somebody).toBeLessThan(2);
});

test('nobody is never let in', async () => {
  expect(await verifyNobody('')).toEqual(REFUSED);
  expect(await verifyNobody(PASSWORD)).toEqual(REFUSED);
});

test('a flood of sign-ins is turned away at the door instead of taking all memory', async () => {
  const room = HASHES_AT_ONCE + HASHES_WAITING_MAX;
  const cheap = REFERENCE.replace('m=65536', 'm=8');

  const answers = await Promise.allSettled(Array.from({ length: room + 50 }, () => verifyPassword('wrong one', cheap)));

  const refused = answers.filter((answer) => answer.status === 'rejected');
  expect(refused).toHaveLength(50);
  for (const { reason } of refused) expect(reason).toMatchObject({ code: 'unavailable' });
  expect(await verifyPassword('password', REFERENCE)).toMatchObject({ ok: true });
});

/** Of the processor, by whichever thread: how long it is waited for says more about what else the machine does. */
async function took(work: () => Promise<unknown>): Promise<number> {
  const start = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(start);
  return user + system;
}
