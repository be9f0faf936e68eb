/** Asks somebody elsewhere whether a machine without a browser may have one session as them, and waits for their answer. */
import { randomUUID } from 'node:crypto';
import { osLogin } from '@gatehouse/contract/kinds/node/node-spec';
import { headlessId } from '../../platform/crypto/ssh/headless-id.ts';
import type { Exchange } from '../../platform/http/call.ts';
import { AppError } from '../../platform/std/app-error.ts';
import { clientKey } from '../../platform/std/client-key.ts';
import type { Db } from '../../platform/storage/tables.ts';
import type { ApprovedHeadless, AskedHeadless } from '../authorities/ssh/headless-limits.ts';
import { findSignIn } from '../stores/sign-in-store.ts';
import { findHeadless, putHeadless, takeHeadless, withdrawHeadless } from './headless-store.ts';
import type { HeadlessWaits } from './headless-waits.ts';

/** Less than what stands between ends for dead; programs ask again. */
export const HOLD_MS = 180_000;
const REQUEST_MS = 5 * 60_000;
const MAX_SERVER = 255;
/** Also one of a leaf. */
const SERVER = /^[^\s@+]+(?:\+[^\s@+]+)?$/u;
const LATE = 'nobody has approved it in time';

export interface HeadlessDeps {
  db: Db;
  now: () => number;
  waits: HeadlessWaits;
  clusterName: string;
  holdMs?: number;
}

/**
 * Whether there is such a user changes nothing of it: not what is stored, nor how long it takes, nor what is answered. Throws where
 * nobody has approved it.
 */
export async function askHeadless(
  { db, now, waits, clusterName, holdMs = HOLD_MS }: HeadlessDeps,
  asked: AskedHeadless,
  exchange: Pick<Exchange, 'address' | 'gone'>,
): Promise<ApprovedHeadless> {
  if (asked.id !== headlessId(asked.publicKey)) throw new AppError('bad_request', 'headless_id is not that of the key');
  const { login, server } = readTarget(asked.target, clusterName);
  const { address } = exchange;
  const { id, user } = asked;
  const created = now();
  const holder = randomUUID();
  await putHeadless(db, {
    ...{ id, user, holder, public_key: asked.publicKey.toString('base64'), server, login, address, created },
    ...{ command: asked.command, client: asked.client, expires: created + REQUEST_MS },
  });
  const gone = exchange.gone();
  const answer = await waits.until({ id, who: `address ${clientKey(address)}`, ms: holdMs, gone }, async () => {
    const found = await findHeadless(db, id, now());
    // Expired, or withdrawn by a second call with the same key.
    if (!found) return 'gone';
    return found.state === 'pending' ? undefined : found;
  });
  if (gone.aborted) await withdrawHeadless(db, { id, user, holder });
  // Programs tell by the field that it waits on, and come back to it.
  if (answer === undefined) throw new AppError('denied', LATE, { fields: { state: 'pending' } });
  if (answer === 'gone') throw new AppError('denied', LATE);
  if (answer.state !== 'accepted') throw new AppError('denied', 'the request was denied');
  return await db.transaction().execute(async (tx) => {
    const signIn = await findSignIn(tx, answer.sign_in ?? '');
    if (!(await takeHeadless(tx, id)) || !signIn || signIn.ended)
      throw new AppError('denied', 'the approval was used already, or taken back');
    return {
      who: { username: signIn.user, signInId: signIn.id },
      limits: { request: id, address, server, login, command: answer.command },
    };
  });
}

/**
 * As ssh is told it: what stands behind the last @ is the server, with or without the name of the cluster. Whether there is such a leaf
 * is for whoever approves it to know: a stranger is not told.
 */
function readTarget(target: string, clusterName: string): { login: string; server: string } {
  const at = target.lastIndexOf('@');
  const [login, named] = [target.slice(0, at), target.slice(at + 1)];
  const own = `+${clusterName}`;
  const server = named.endsWith(own) ? named.slice(0, -own.length) : named;
  if (at < 1 || server.length > MAX_SERVER || !osLogin.safeParse(login).success || !SERVER.test(server))
    throw new AppError('bad_request', 'target is no server: write it like root@web-1');
  return { login, server };
}
