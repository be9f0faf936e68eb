/**
 * The keys to an account as its person sees them who links themselves: with what the provider gives, each of them gives more, and only they
 * know which of them somebody else made. What they do not say to be theirs ends.
 */
import type { OwnKey } from '@gatehouse/contract/identity/connectors/own-keys';
import type { Db, Tx } from '../../../platform/storage/tables.ts';
import { describeUserAgent } from '../../sign-in/describe-user-agent.ts';
import { type Device, listDevices } from '../../stores/device-store.ts';
import { recoveryStatus } from '../../stores/recovery-store.ts';
import { listSignIns, type SignIn } from '../../stores/sign-in-store.ts';
import type { User } from '../../stores/user-store.ts';
import type { ConnectorDeps } from '../connector-deps.ts';
import { listIdentitiesOf, type StoredIdentity } from '../stores/identity-store.ts';
import type { Staying } from './end-keys.ts';
import { isHandedOver } from './hand-over.ts';
import { isLastWithOwnWay } from './last-administrator.ts';

/** How long the device that was proven counts as shown in this very act: to the provider and back. */
const SHOWN_MS = 20 * 60_000;
const PASSWORD = 'password';
const CODES = 'recovery-codes';

interface Asking {
  user: User;
  /** The sign-in in which they link. */
  signIn: SignIn;
  /** What they are linked to. */
  connector: string;
}

export async function listOwnKeys(
  { now }: Pick<ConnectorDeps, 'now'>,
  db: Db,
  { user, signIn, connector }: Asking,
): Promise<OwnKey[]> {
  const { name } = user;
  const { created, left } = await recoveryStatus(db, name);
  const links = (await listIdentitiesOf(db, name)).filter((each) => each.connector !== connector);
  return [
    ...(user.passwordHash === undefined ? [] : [passwordKey(user, signIn)]),
    ...(await listDevices(db, name)).map((device) => deviceKey(device, signIn, now())),
    ...(left === 0 ? [] : [{ id: CODES, type: 'codes' as const, name: '', ...madeAt(created ?? 0), mayStay: false }]),
    ...links.map((link) => linkKey(link, signIn, user)),
    ...(await listSignIns(db, name, now())).map((each) => signInKey(each, signIn)),
  ];
}

/** By what is there in the transaction that links: a key that was made since they were asked is none of those they named. */
export async function stayingOf(
  deps: Pick<ConnectorDeps, 'access' | 'now'>,
  tx: Tx,
  asking: Asking,
  keep: readonly string[],
): Promise<Staying> {
  const keys = await listOwnKeys(deps, tx, asking);
  const named = new Set(keep);
  const staying = new Set(
    keys.filter(({ id, stays, mayStay }) => stays !== undefined || (mayStay && named.has(id))).map(({ id }) => id),
  );
  const linksLeaving = new Set(keys.filter(({ id, type }) => type === 'link' && !staying.has(id)).map(({ id }) => id));
  const alive = await listSignIns(tx, asking.user.name, deps.now());
  const onLeaving = new Set(
    alive.filter(({ through }) => through && linksLeaving.has(linkId(through))).map(({ id }) => id),
  );
  const hasWayIn = keys.some(({ id, type }) => isWayInType(type) && staying.has(id));
  const keepsWays = !hasWayIn && (await isLastWithOwnWay(deps, tx, asking.user));
  return {
    signIn: (id) => staying.has(id) && !onLeaving.has(id),
    device: (id) => keepsWays || staying.has(id),
    password: keepsWays || staying.has(PASSWORD),
    codes: false,
    link: (each) => each.connector === asking.connector || staying.has(linkId(each)),
  };
}

export function isWayInType(type: OwnKey['type']): boolean {
  return type === 'password' || type === 'passkey';
}

/** Whoever knows the one from before, because they chose it, or gave it to them, does not know this one. */
function passwordKey({ passwordSetIn }: User, signIn: SignIn): OwnKey {
  return { id: PASSWORD, type: 'password', name: '', mayStay: passwordSetIn === signIn.id };
}

function deviceKey(device: Device, { mfaAt, mfaDevice }: SignIn, now: number): OwnKey {
  const { id, name, added, address, lastUsed } = device;
  const isShown = mfaDevice === id && mfaAt !== undefined && now - mfaAt <= SHOWN_MS;
  const isPasskey = device.type === 'WebAuthn' && device.usage === 'passwordless';
  return {
    id,
    type: device.type === 'TOTP' ? 'app' : isPasskey ? 'passkey' : 'key',
    name,
    ...madeAt(added),
    ...(lastUsed === undefined ? {} : { lastUsed: new Date(lastUsed).toISOString() }),
    ...(address === undefined ? {} : { address }),
    ...(isShown ? { stays: 'proven' as const } : {}),
    mayStay: true,
  };
}

function linkKey(link: StoredIdentity, { through }: SignIn, { givenBy }: User): OwnKey {
  const id = linkId(link);
  const stays =
    link.linkedBy === 'editor'
      ? ('editor' as const)
      : through && linkId(through) === id
        ? ('current' as const)
        : undefined;
  return {
    id,
    type: 'link',
    name: link.connector,
    subject: link.subject,
    ...(link.name === '' ? {} : { calledThere: link.name }),
    ...madeAt(link.created),
    ...(stays ? { stays } : {}),
    ...(givenBy === link.connector ? { givesRoles: true } : {}),
    // Nobody has come through it since somebody made it, or since that was doubted: it is not known to be theirs.
    mayStay: !isHandedOver(link),
  };
}

function signInKey(each: SignIn, { id: current }: SignIn): OwnKey {
  const { id, kind, name, address, userAgent, created, lastActive, expires, scope } = each;
  return {
    id,
    type: kind,
    name: name || describeUserAgent(userAgent),
    ...madeAt(created),
    lastUsed: new Date(lastActive).toISOString(),
    ...(kind === 'token'
      ? { expires: new Date(expires).toISOString(), scope: typeof scope === 'string' ? scope : ('some' as const) }
      : {}),
    ...(address === '' ? {} : { address }),
    ...(id === current ? { stays: 'current' as const } : {}),
    mayStay: true,
  };
}

function linkId({ connector, subject }: { connector: string; subject: string }): string {
  return `link ${connector} ${subject}`;
}

function madeAt(time: number): { created: string } {
  return { created: new Date(time).toISOString() };
}
