/** Answers that are checked in a thread of their own: what they cost there, who waits, and what happens when it breaks. */
import { setTimeout } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { beginSamlCase, makeCaseKeys, NOW } from '../../../../../../testing/connectors/saml-case.ts';
import { assertionXml, encoded, responseXml, signed } from '../../../../../../testing/connectors/saml-forge.ts';
import { dearAnswers } from '../../../../../../testing/connectors/saml-hostile.ts';
import { silentLog } from '../../../../../platform/std/log.ts';
import { ProviderError } from '../../provider-error.ts';
import type { GivenAnswer, SamlAnswers } from '../../saml-answers.ts';
import { proveAnswer } from '../answer/prove-answer.ts';
import { createSamlAnswers, MAX_WAITING, MAX_WAITING_EACH } from './create-saml-answers.ts';

const CLIENT = '192.0.2.1';
/** Some of it by the clock is what a thread has to begin on a busy machine. */
const LIMIT_MS = 600;
const OVERDUE = 'the answer was not checked within 0.6 seconds';
const keys = await makeCaseKeys();
const { parts } = await beginSamlCase(keys.idp);
const opened: SamlAnswers[] = [];

afterEach(async () => {
  await Promise.all(opened.splice(0).map((each) => each.close()));
});

function open(options: Omit<Parameters<typeof createSamlAnswers>[0], 'log'> = {}): SamlAnswers {
  const answers = createSamlAnswers({ log: silentLog, ...options });
  opened.push(answers);
  return answers;
}

function given(xml: string): GivenAnswer {
  return {
    encoded: encoded(xml),
    provider: { issuer: parts.issuer, sso: 'https://idp.example/sso', certificates: [keys.idp.cert] },
    service: { acs: parts.acs, entity: parts.acs, audience: parts.audience },
    requestId: parts.requestId,
    now: NOW,
    signedInAfter: undefined,
    decryptionKey: undefined,
    subjectAttribute: undefined,
    usernameAttribute: undefined,
  };
}
const honest = given(responseXml(signed(assertionXml(parts), '_assertion', { keys: keys.idp }), parts));

/** A thread that does what the text of an answer says; its proof is its own number, as a subject. */
const OBEDIENT = new URL(
  `data:text/javascript,${encodeURIComponent(`
    import { parentPort, threadId } from 'node:worker_threads';
    parentPort.on('message', ({ id, given: { encoded } }) => {
      if (encoded === 'die') process.exit(1);
      parentPort.postMessage({ type: 'begun', id, cpu: process.threadCpuUsage() });
      if (encoded === 'run') for (;;);
      if (encoded !== 'sleep') parentPort.postMessage({ type: 'done', id, outcome: { proven: { subject: String(threadId) } } });
    });
  `)}`,
);
const told = (text: string): GivenAnswer => ({ ...honest, encoded: text });
const reasonOf = (work: Promise<unknown>) =>
  work.then(
    () => 'taken',
    (error: Error) => error.message,
  );

test('an honest answer proves in the thread what it proves here', async () => {
  expect(await open().prove(CLIENT, honest)).toEqual(await proveAnswer(honest));
});

test('what is refused is refused in the same words and at the same step', async () => {
  const wrong = { ...honest, requestId: '_another' };
  const here = await proveAnswer(wrong).catch((error: unknown) => error);

  const there = await open()
    .prove(CLIENT, wrong)
    .catch((error: unknown) => error);

  expect(there).toBeInstanceOf(ProviderError);
  expect(there).toMatchObject({ step: (here as ProviderError).step, message: (here as ProviderError).message });
});

const ready = createSamlAnswers({ log: silentLog });
/** Its thread begins with the first. */
beforeAll(() => ready.prove(CLIENT, honest));
afterAll(() => ready.close());

test.each(dearAnswers(parts, keys.idp))('$name: the gateway goes on while they are refused', async ({ xml }) => {
  const hostile = given(xml);
  const here = await heldBy(() => proveAnswer(hostile));

  // What this thread collects of others' garbage meanwhile is not the answer's: of some, the one that held it least.
  const tries = [await heldBy(() => ready.prove(CLIENT, hostile))];
  const longestMs = () => Math.min(...tries.map((each) => each.longestMs));
  const turns = () => Math.max(...tries.map((each) => each.turns));
  while (tries.length < 3 && (longestMs() >= here.longestMs / 2 || turns() <= here.turns + 20))
    tries.push(await heldBy(() => ready.prove(CLIENT, hostile)));

  expect(here.reason).toContain('the signature of the assertion does not fit');
  for (const { reason } of tries) expect(reason).toBe(here.reason);
  expect(longestMs()).toBeLessThan(here.longestMs / 2);
  expect(turns()).toBeGreaterThan(here.turns + 20);
});

/** How much this very thread ran between two turns that others had, whatever else the machine did; and how many turns they had. */
async function heldBy(work: () => Promise<unknown>) {
  let turns = 0;
  let longestMs = 0;
  let isDone = false;
  let before = process.threadCpuUsage();
  const reason = reasonOf(work()).finally(() => {
    isDone = true;
  });
  while (!isDone) {
    await setTimeout(1);
    const { user, system } = process.threadCpuUsage(before);
    before = process.threadCpuUsage();
    longestMs = Math.max(longestMs, (user + system) / 1000);
    turns++;
  }
  return { longestMs, turns, reason: await reason };
}

test('so many wait, and not more from one client, which gives way to another; whoever is turned away hears why', async () => {
  const answers = open({ worker: OBEDIENT, limitMs: 600_000 });
  const ask = (client: string) => reasonOf(answers.prove(client, told('sleep')));
  const first = ask('198.51.100.1');
  const waiting = Array.from({ length: MAX_WAITING_EACH }, () => ask(CLIENT));

  expect(await ask(CLIENT)).toBe('too many answers wait to be checked: begin again in a moment');
  for (let at = MAX_WAITING_EACH; at < MAX_WAITING; at++) waiting.push(ask(`203.${at}.0.1`));
  waiting.push(ask('198.51.100.2'));
  expect(await waiting.splice(MAX_WAITING_EACH - 1, 1)[0]).toBe(
    'too many answers wait to be checked: begin again in a moment',
  );

  await answers.close();
  expect(new Set(await Promise.all([first, ...waiting]))).toEqual(new Set(['the gateway is closing']));
});

test('one /48 that asks as often as it can keeps nobody else out', async () => {
  const answers = open({ worker: OBEDIENT, limitMs: LIMIT_MS });
  const flood = Array.from({ length: 9 }, (_, at) => `2001:db8:1:${at}::/64`).flatMap((client) =>
    Array.from({ length: MAX_WAITING_EACH }, () => reasonOf(answers.prove(client, told('run')))),
  );

  for (let at = 0; at < 3; at++) expect(await reasonOf(answers.prove(`198.51.100.${at}`, told('prove')))).toBe('taken');

  await answers.close();
  await Promise.all(flood);
});

test('an answer that takes too long is given up with its thread, and those behind it are checked', async () => {
  const answers = open({ worker: OBEDIENT, limitMs: LIMIT_MS });
  const { subject } = await answers.prove(CLIENT, told('prove'));
  const slow = reasonOf(answers.prove(CLIENT, told('run')));
  const behind = answers.prove(CLIENT, told('prove'));

  expect(await slow).toBe(OVERDUE);
  expect((await behind).subject).not.toBe(subject);
});

test('a thread that neither runs nor answers is given up too', async () => {
  const answers = open({ worker: OBEDIENT, limitMs: LIMIT_MS });

  expect(await reasonOf(answers.prove(CLIENT, told('sleep')))).toBe(OVERDUE);
  expect(await reasonOf(answers.prove(CLIENT, told('prove')))).toBe('taken');
});

test('a thread that ends by itself takes one answer with it', async () => {
  const answers = open({ worker: OBEDIENT });
  const lost = reasonOf(answers.prove(CLIENT, told('die')));
  const behind = reasonOf(answers.prove(CLIENT, told('prove')));

  expect(await lost).toBe('the answer could not be checked: the thread for it ended');
  expect(await behind).toBe('taken');
});

test('a thread serves one after the other, and ends when nobody comes any more', async () => {
  const answers = open({ worker: OBEDIENT, idleMs: 300 });
  const first = await answers.prove(CLIENT, told('prove'));
  expect((await answers.prove(CLIENT, told('prove'))).subject).toBe(first.subject);

  await expect
    .poll(async () => (await answers.prove(CLIENT, told('prove'))).subject, { interval: 1_000, timeout: 30_000 })
    .not.toBe(first.subject);
});

test('a gateway that closes waits for no answer, and takes none afterwards', async () => {
  const answers = open({ worker: OBEDIENT, limitMs: 600_000 });
  await answers.prove(CLIENT, told('prove'));
  const running = reasonOf(answers.prove(CLIENT, told('run')));

  await answers.close();

  expect(await running).toBe('the gateway is closing');
  expect(await reasonOf(answers.prove(CLIENT, told('prove')))).toBe('the gateway is closing');
  answers.warm();
});
