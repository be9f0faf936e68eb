/** Opens sessions with applications: finds the one that is wanted, decides, accounts, and makes what lets a browser in. */
import { randomUUID } from 'node:crypto';
import { APP_LAUNCH_PATH, APP_START_PATH } from '@gatehouse/contract/kinds/app/apps';
import type { AccessControl } from '../../access/create-access.ts';
import { findSignIn } from '../../identity/stores/sign-in-store.ts';
import type { Actor, Caller, Who } from '../../platform/http/actor.ts';
import { requireOwn } from '../../platform/http/cluster.ts';
import { AppError, notFound } from '../../platform/std/app-error.ts';
import type { Db } from '../../platform/storage/tables.ts';
import type { HostedSession } from '../../sessions/host/hosted-session.ts';
import type { SessionHost } from '../../sessions/host/session-host.ts';
import type { AppDirectory, ListedApp } from './app-directory.ts';
import type { AppHosts } from './app-hosts.ts';
import { type AppSecrets, insertAppSession, insertLaunch } from './app-session-store.ts';

export interface WantedApp {
  fqdn: string;
  cluster_name: string;
  public_addr: string;
}

export interface OpenAppDeps {
  db: Db;
  access: Pick<AccessControl, 'decide'>;
  host: SessionHost;
  directory: AppDirectory;
  hosts: AppHosts;
  clusterName: string;
  now: () => number;
}

export interface Opening {
  caller: Caller;
  address: string;
  requestId: string;
  /** Where it was asked. */
  call: string;
  awsRoleArn?: string | undefined;
  proveFactor(): Promise<void>;
}

/** A code is used by the very next thing the browser does. */
const CODE_MS = 60_000;

/** As the launch address names it: by public address and cluster, or by the host alone. */
export async function findWantedApp(
  { directory, hosts, clusterName, access }: FindDeps & Pick<OpenAppDeps, 'hosts'>,
  actor: Actor,
  wanted: WantedApp,
): Promise<ListedApp> {
  if (wanted.cluster_name !== '') requireOwn(wanted.cluster_name, clusterName);
  const host = plainHost(wanted.fqdn);
  const publicHost = plainHost(wanted.public_addr);
  const seen = (name: string) => seenBy(access, actor, name === '' ? undefined : directory.byHost(name));
  const look = () => seen(publicHost) ?? seen(host);
  const known = look();
  if (known) return known;
  // Perhaps it was added a moment ago.
  await directory.refresh();
  const found = look();
  if (found) return found;
  if (host === '' && publicHost === '') throw new AppError('bad_request', 'name the application by its host');
  // By the name alone: an application that the caller does not see must not show by its host.
  if (!hosts.isUnderBase(host || publicHost) || (host || publicHost) === hosts.base())
    throw new AppError('bad_request', `'${host || publicHost}' is no name under ${hosts.base()}`);
  throw notFound('application', host || publicHost);
}

type FindDeps = Pick<OpenAppDeps, 'directory' | 'clusterName' | 'access'>;

/** Whoever may open it sees it; of a token that opens nothing, not even that is asked. */
export function seenBy(access: FindDeps['access'], actor: Actor, app: ListedApp | undefined): ListedApp | undefined {
  return app && access.decide(actor, { type: 'see', kind: 'app', resource: app.resource }).allowed ? app : undefined;
}

/** As the command line names it. */
export async function findTcpApp(
  { directory, access }: Pick<FindDeps, 'directory' | 'access'>,
  actor: Actor,
  { name }: { name: string },
): Promise<ListedApp> {
  // Perhaps it was added a moment ago.
  if (!directory.byName(name)) await directory.refresh();
  const app = seenBy(access, actor, directory.byName(name));
  if (app?.type !== 'tcp') throw notFound('TCP application', name);
  return app;
}

function plainHost(text: string): string {
  return text.toLowerCase().replace(/:\d{1,5}$/, '');
}

/** Decides, counts, registers and audits. */
export async function openAppSession({ host }: OpenAppDeps, app: ListedApp, opening: Opening): Promise<HostedSession> {
  const { caller, address, requestId, call, awsRoleArn, proveFactor } = opening;
  const hosted = await host.open({
    caller,
    action: {
      type: 'connect',
      kind: 'app',
      // Locks of one agent close one way to it, not the application.
      resource: { ...app.resource, owner: '' },
      ...(awsRoleArn === undefined ? {} : { awsRoleArn }),
    },
    address,
    requestId,
    call,
    proveFactor,
    request: randomUUID(),
    size: { cols: 0, rows: 0 },
    agent: undefined,
    recorded: false,
    nature: { isCutInParts: true },
  });
  // Browsers come and go without a word: it lasts until it is ended or rests too long.
  const { username, signInId } = caller;
  hosted.enter({ id: hosted.id, username, signInId, address, mode: 'peer', onRemoved: (end) => hosted.finish(end) });
  return hosted;
}

/** The values of both cookies, for the handshake of the reference: whoever shows them first has the session. */
export async function openForHandshake(deps: OpenAppDeps, app: ListedApp, opening: Opening): Promise<AppSecrets> {
  requireWeb(app);
  const hosted = await openAppSession(deps, app, opening);
  const expires = await expiryOf(deps, opening.caller);
  return await deps.db
    .transaction()
    .execute((tx) => insertAppSession(tx, { ...holderOf(hosted), expires, userAgent: '', address: '' }));
}

/** Where the browser goes next. */
export async function launchUrl(
  deps: OpenAppDeps,
  app: ListedApp,
  opening: Opening,
  { path, state }: { path: string; state: string },
): Promise<string> {
  requireWeb(app);
  const origin = deps.hosts.originOf(app.host);
  // Without it the code could be put into somebody else's browser, who would then work under this name.
  if (!/^[0-9a-f]{64}$/.test(state)) return `${origin}${APP_START_PATH}?path=${encodeURIComponent(path)}`;
  const hosted = await openAppSession(deps, app, opening);
  const launch = { ...holderOf(hosted), stateHash: state, host: app.host, path, expires: deps.now() + CODE_MS };
  const code = await deps.db.transaction().execute((tx) => insertLaunch(tx, launch));
  return `${origin}${APP_LAUNCH_PATH}?code=${code}`;
}

export function requireWeb({ type, resource, host }: ListedApp): void {
  if (type === 'tcp')
    throw new AppError(
      'bad_request',
      `'${resource.name}' speaks TCP, which browsers do not: use gatehouse proxy app ${resource.name}`,
    );
  if (type === 'aws') throw new AppError('bad_request', 'choose a role of AWS to open this console with');
  if (host === '')
    throw new AppError('not_available', 'the gateway has no name of its own: give the application a public address');
}

function holderOf({ session }: HostedSession) {
  return { session: session.id, user: session.user, signIn: session.signInId };
}

/** No session outlives the sign-in it was opened under. */
export async function expiryOf({ db, now }: Pick<OpenAppDeps, 'db' | 'now'>, { signInId }: Pick<Who, 'signInId'>) {
  return (await findSignIn(db, signInId))?.expires ?? now() + CODE_MS;
}
