/**
 * Connections of SSH that bring no certificate: somebody says yes in the browser, and the connection stands on that browser's
 * sign-in. No key of people stays in force beyond it.
 */
import { randomUUID } from 'node:crypto';
import { cliLoginAccepted } from '@gatehouse/contract/audit/sign-in-events';
import { pagePath } from '@gatehouse/contract/console/pages';
import { parseJson } from '@gatehouse/contract/std/parse-json';
import { z } from 'zod';
import type { Audit } from '../../platform/audit/emit.ts';
import { hashToken, newToken } from '../../platform/crypto/tokens.ts';
import type { Who } from '../../platform/http/actor.ts';
import { AppError } from '../../platform/std/app-error.ts';
import type { Db, Tx } from '../../platform/storage/tables.ts';
import type { IdentityDeps } from '../identity-deps.ts';
import { insertBoundKey, keysBoundAt } from '../stores/bound-key-store.ts';
import { findSignIn } from '../stores/sign-in-store.ts';
import {
  type CliLogin,
  findCliLogin,
  insertCliLogin,
  newCode,
  REQUEST_MS,
  settleCliLogin,
  takeCliLogin,
} from './cli-login-store.ts';

/** Without a server: a jump, which names it later. */
const asked = z.object({
  server: z.string().optional(),
  login: z.string().optional(),
  key: z.string().optional(),
  /** Said once it is: whoever said yes proved one of their devices for it. */
  byDevice: z.boolean().optional(),
});

export interface AskedSsh extends Omit<z.output<typeof asked>, 'byDevice'> {
  /** What the program calls itself. */
  client: string;
  address: string;
}

export interface SshApprovals {
  ask(wanted: AskedSsh): Promise<{ id: string; code: string; url: string }>;
  /** Once yes, it is used up. */
  answerTo(id: string): Promise<(Who & { byDevice: boolean }) | 'pending' | 'denied'>;
  /** Whose browser lets this key in from there. */
  boundTo(key: string, address: string): Promise<{ who: Who; keyId: string } | undefined>;
}

export function createSshApprovals({ db, now, settings }: Pick<IdentityDeps, 'db' | 'now' | 'settings'>): SshApprovals {
  return {
    async ask({ client, address, ...ssh }) {
      const id = newToken(16);
      const code = newCode();
      await insertCliLogin(db, {
        // Nobody fetches a credential with it: what nobody was told cannot be shown.
        ...{ id, secret_hash: hashToken(newToken()), code, client, address },
        ...{ created: now(), expires: now() + REQUEST_MS, state: 'pending', sign_in: null, ssh: JSON.stringify(ssh) },
      });
      return { id, code, url: `${settings.publicOrigin()}${pagePath('cliLogin', { requestId: id })}` };
    },

    async answerTo(id) {
      const request = await findCliLogin(db, id, now());
      if (!request || request.state === 'denied') return 'denied';
      if (request.state !== 'accepted') return 'pending';
      return await db.transaction().execute(async (tx) => {
        if (!(await takeCliLogin(tx, id))) return 'denied';
        const who = await whoOf(tx, request.sign_in);
        return who ? { ...who, byDevice: shownSsh(request).ssh?.byDevice === true } : 'denied';
      });
    },

    async boundTo(key, address) {
      for (const { id, sign_in } of await keysBoundAt(db, key, address)) {
        const who = await whoOf(db, sign_in);
        if (who) return { who, keyId: id };
      }
      return undefined;
    },
  };
}

/** Undefined: the browser has signed out since. */
async function whoOf(db: Db | Tx, signInId: string | null): Promise<Who | undefined> {
  const signIn = await findSignIn(db, signInId ?? '');
  return signIn && !signIn.ended ? { username: signIn.user, signInId: signIn.id } : undefined;
}

export function shownSsh({ ssh }: CliLogin): { ssh?: z.output<typeof asked> } {
  const shown = ssh === null ? undefined : asked.safeParse(parseJson(ssh)).data;
  return shown ? { ssh: shown } : {};
}

/** The caller has proved that they may say yes. */
export async function acceptSsh(
  tx: Tx,
  { username: user, signInId }: Who,
  request: CliLogin,
  { keepKey, byDevice, now, audit }: { keepKey: boolean; byDevice: boolean; now: number; audit: Audit },
): Promise<void> {
  const { ssh } = shownSsh(request);
  const said = JSON.stringify({ ...ssh, byDevice });
  if (!(await settleCliLogin(tx, request.id, { state: 'accepted', sign_in: signInId, ssh: said })))
    throw new AppError('not_found', 'this request was answered already');
  const key = ssh?.key;
  if (keepKey && key)
    await insertBoundKey(tx, {
      id: randomUUID(),
      fingerprint: key,
      address: request.address,
      user,
      sign_in: signInId,
      created: now,
    });
  await audit.emit(
    tx,
    cliLoginAccepted,
    { user, client: request.client, 'addr.remote': request.address },
    { signInId },
  );
}
