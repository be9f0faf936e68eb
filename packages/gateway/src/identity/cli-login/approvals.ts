/**
 * What programs want that cannot ask for it themselves, and somebody says yes to in the browser: connections of SSH that bring no
 * certificate, which then stand on that browser's sign-in (no key of people stays in force beyond it), and second factors.
 */
import { randomUUID } from 'node:crypto';
import { cliLoginAccepted } from '@gatehouse/contract/audit/sign-in-events';
import { pagePath } from '@gatehouse/contract/console/pages';
import type { CliLoginDetails } from '@gatehouse/contract/identity/cli-login';
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

/** A second factor for programs of a sign-in, at one Kubernetes cluster. Nobody else may answer it, and it is good for nothing else. */
const askedKube = z.object({ name: z.string(), resource: z.string(), user: z.string(), signIn: z.string() });
export type AskedKube = z.output<typeof askedKube>;

/** Without a server: a jump, which names it later. */
const asked = z.object({
  server: z.string().optional(),
  login: z.string().optional(),
  key: z.string().optional(),
  kube: askedKube.optional(),
  /** Said once it is: whoever said yes proved one of their devices for it. */
  byDevice: z.boolean().optional(),
});

interface Asker {
  /** What the program calls itself. */
  client: string;
  address: string;
}

export interface AskedSsh extends Omit<z.output<typeof asked>, 'byDevice' | 'kube'>, Asker {}

export interface Approvals {
  ask(wanted: AskedSsh | (Asker & { kube: AskedKube })): Promise<{ id: string; code: string; url: string }>;
  /** Once yes, it is used up. `kube`: what programs of Kubernetes ask it for, which name it themselves; what was asked for anything else is denied. */
  answerTo(id: string, kube?: Omit<AskedKube, 'name'>): Promise<(Who & { byDevice: boolean }) | 'pending' | 'denied'>;
  /** Whose browser lets this key in from there. */
  boundTo(key: string, address: string): Promise<{ who: Who; keyId: string } | undefined>;
}

export function createApprovals({ db, now, settings }: Pick<IdentityDeps, 'db' | 'now' | 'settings'>): Approvals {
  return {
    async ask({ client, address, ...wanted }) {
      const id = newToken(16);
      const code = newCode();
      const row = {
        // Nobody fetches a credential with it: what nobody was told cannot be shown.
        ...{ id, secret_hash: hashToken(newToken()), code, client, address },
        ...{
          created: now(),
          expires: now() + REQUEST_MS,
          state: 'pending',
          sign_in: null,
          ssh: JSON.stringify(wanted),
        },
      };
      await insertCliLogin(db, row, 'kube' in wanted ? wanted.kube.user : undefined);
      return { id, code, url: `${settings.publicOrigin()}${pagePath('cliLogin', { requestId: id })}` };
    },

    async answerTo(id, kube) {
      const request = await findCliLogin(db, id, now());
      if (!request || request.state === 'denied' || !isFor(request, kube)) return 'denied';
      if (request.state !== 'accepted') return 'pending';
      return await db.transaction().execute(async (tx) => {
        if (!(await takeCliLogin(tx, id))) return 'denied';
        const who = await whoOf(tx, request.sign_in);
        return who ? { ...who, byDevice: askedIn(request)?.byDevice === true } : 'denied';
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

/** Undefined: it signs in a command line. */
function askedIn({ ssh }: CliLogin): z.output<typeof asked> | undefined {
  return ssh === null ? undefined : asked.safeParse(parseJson(ssh)).data;
}

/** What a link shows in a browser must not be shown here for another thing. */
function isFor(request: CliLogin, wanted: Omit<AskedKube, 'name'> | undefined): boolean {
  const kube = kubeIn(request);
  if (!kube || !wanted) return kube === wanted;
  return kube.user === wanted.user && kube.signIn === wanted.signIn && kube.resource === wanted.resource;
}

export function kubeIn(request: CliLogin): AskedKube | undefined {
  return askedIn(request)?.kube;
}

export function shownApproval(request: CliLogin): Pick<CliLoginDetails, 'ssh' | 'kube'> {
  const { kube, byDevice: _, ...ssh } = askedIn(request) ?? {};
  if (kube) return { kube: { name: kube.name } };
  return request.ssh === null ? {} : { ssh };
}

/** The caller has proved that they may say yes. */
export async function acceptApproval(
  tx: Tx,
  { username: user, signInId }: Who,
  request: CliLogin,
  { keepKey, byDevice, now, audit }: { keepKey: boolean; byDevice: boolean; now: number; audit: Audit },
): Promise<void> {
  const wanted = askedIn(request);
  const said = JSON.stringify({ ...wanted, byDevice });
  if (!(await settleCliLogin(tx, request.id, { state: 'accepted', sign_in: signInId, ssh: said })))
    throw new AppError('not_found', 'this request was answered already');
  const key = wanted?.key;
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
