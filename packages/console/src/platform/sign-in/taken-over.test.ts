/** Two people in two tabs of one browser: who comes second has its cookie and what is stored, and the page of the first acts as nobody. */
import { STORAGE_KEYS } from '@gatehouse/contract/console/local-storage';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import {
  endSignIns,
  MINUTE,
  Refused,
  reply,
  startSignIn,
  stopClock,
  storageEvent,
} from '../../../testing/test-sign-in.ts';
import { CHECK_TOKEN_EVERY_MS, REASON_AWAITED_MS } from './sign-in.ts';
import { readToken, storeToken, tokenFrom } from './token.ts';

beforeEach(stopClock);
afterEach(endSignIns);

/** As the page of the other tab does, before it tells. */
const store = (user: string) => storeToken(localStorage, tokenFrom({ ...reply(`of ${user}`), user }, Date.now()));
const tell = () => storageEvent(STORAGE_KEYS.token, localStorage.getItem(STORAGE_KEYS.token));
const isStillTheirs = () => expect(readToken(localStorage)?.accessToken).toBe('of bob');

test('the page of the first leaves, and neither ends nor clears what the second has', async () => {
  const { signIn, left, endOnGateway } = startSignIn();
  await signIn.ensure();
  store('bob');
  tell();

  expect(left).toEqual(['taken-over']);
  await signIn.signOut();
  signIn.ended('signed_out');
  expect(left).toEqual(['taken-over']);
  expect(endOnGateway).not.toHaveBeenCalled();
  isStillTheirs();
});

test('before it is told, it finds no token to act with', async () => {
  const { signIn, storage } = startSignIn();
  await signIn.ensure();
  expect(readToken(storage)?.accessToken).toBe('first');
  store('bob');

  expect(readToken(storage)).toBeUndefined();
});

test.each([
  ['is asked to sign out', (signIn: ReturnType<typeof startSignIn>['signIn']) => signIn.signOut()],
  ['rests', () => vi.advanceTimersByTimeAsync(CHECK_TOKEN_EVERY_MS)],
  [
    'is refused a call',
    (signIn: ReturnType<typeof startSignIn>['signIn']) => {
      signIn.refused();
      return vi.advanceTimersByTimeAsync(REASON_AWAITED_MS);
    },
  ],
  [
    'hears that its sign-in was ended',
    async (signIn: ReturnType<typeof startSignIn>['signIn']) => signIn.ended('expired'),
  ],
])('a page that was told nothing and %s leaves what is stored to the second', async (_, happens) => {
  const { signIn, left, endOnGateway } = startSignIn();
  await signIn.ensure();
  store('bob');

  await happens(signIn);

  expect(left).toEqual(['taken-over']);
  expect(endOnGateway).not.toHaveBeenCalled();
  isStillTheirs();
});

test('a renewal that is answered late takes nothing from the second', async () => {
  const answer = Promise.withResolvers<ReturnType<typeof reply>>();
  const { signIn } = startSignIn({ lifeMs: MINUTE }, { renew: () => answer.promise });
  const ensured = signIn.ensure();
  store('bob');
  answer.resolve({ ...reply('late'), user: 'ann' });
  await ensured;

  isStillTheirs();
});

test('a renewal that is refused because of the second ends nothing of theirs', async () => {
  const answer = Promise.withResolvers<ReturnType<typeof reply>>();
  const { signIn, left, endOnGateway } = startSignIn({ lifeMs: MINUTE }, { renew: () => answer.promise });
  const ensured = signIn.ensure();
  store('bob');
  answer.reject(new Refused());

  expect(await ensured).toBe(false);
  expect(left).toEqual(['taken-over']);
  expect(endOnGateway).not.toHaveBeenCalled();
  isStillTheirs();
});

test('the same person who signs in again in another tab goes on in this one', async () => {
  const { signIn, left, storage } = startSignIn();
  await signIn.ensure();
  store('ann');
  tell();

  expect(left).toEqual([]);
  expect(readToken(storage)?.accessToken).toBe('of ann');
});
