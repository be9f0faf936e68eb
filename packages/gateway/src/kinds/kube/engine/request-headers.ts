/** Headers of a request to a cluster: the few of the client's that may pass, and ours. Whatever says who somebody is comes from the gateway alone. */
import { refusal } from './kube-target.ts';

export type HeaderPair = readonly [name: string, value: string];

/** What kubectl asks for by `--as` and `--as-group`: to be chosen from what roles give, never to be passed on. */
export interface AskedIdentity {
  user: string | undefined;
  groups: readonly string[];
}

export interface KubeIdentity {
  user: string;
  groups: readonly string[];
}

/** How long a body is and how it is cut is said by whoever writes the head. */
const PASSED: ReadonlySet<string> = new Set([
  'accept',
  'accept-encoding',
  'content-encoding',
  'content-type',
  'if-match',
  'if-modified-since',
  'if-none-match',
  'if-unmodified-since',
  'user-agent',
]);
/** Servers read the first of several, and others the last: then nobody knows what was sent. */
const SINGLE: ReadonlySet<string> = new Set(['content-encoding', 'content-type']);
const MAX_VALUE = 8 * 1024;
const MAX_GROUPS = 256;
/** With spaces inside, as field values may have, and none at the ends. */
const VISIBLE = /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/;

/** `raw` has names and values in turn, as Node gives them. Names come out in lower case. */
export function passedHeaders(raw: readonly string[]): HeaderPair[] {
  const passed = new Map<string, string>();
  for (const [name, value] of pairsOf(raw)) {
    if (!PASSED.has(name)) continue;
    if (value === '') continue;
    if (value.length > MAX_VALUE || !VISIBLE.test(value)) throw refusal(`its header ${name} has what cannot be sent`);
    const before = passed.get(name);
    if (before !== undefined && SINGLE.has(name)) throw refusal(`its header ${name} is there twice`);
    // Only of what may be accepted are several meant together.
    if (before === undefined) passed.set(name, value);
    else if (name.startsWith('accept')) passed.set(name, `${before}, ${value}`);
  }
  return [...passed];
}

export function readAskedIdentity(raw: readonly string[]): AskedIdentity {
  const users: string[] = [];
  const groups: string[] = [];
  for (const [name, value] of pairsOf(raw)) {
    if (!name.startsWith('impersonate-')) continue;
    if (name === 'impersonate-user') users.push(value);
    else if (name === 'impersonate-group') groups.push(value);
    else
      throw refusal(
        'roles say nothing of uids and extra fields, so nobody can be given them (--as-uid, --as-user-extra)',
      );
  }
  if (users.length > 1) throw refusal('it asks to be sent as more than one user');
  if (groups.length > MAX_GROUPS) throw refusal(`it asks for more than ${MAX_GROUPS} groups`);
  for (const name of [...users, ...groups]) if (!VISIBLE.test(name)) throw unsendable(name);
  return { user: users[0], groups: [...new Set(groups)] };
}

export interface OwnHeaders {
  /** Of the gateway. With a certificate there is none. */
  token: string | undefined;
  identity: KubeIdentity;
  /** The same in our log and in the cluster's. */
  requestId: string;
}

export function ownHeaders({ token, identity, requestId }: OwnHeaders): HeaderPair[] {
  const { user, groups } = identity;
  // Without a user the cluster would take the request for the gateway's own.
  if (user === '') throw refusal('there is no user it could be sent as');
  for (const name of [user, ...groups]) if (!VISIBLE.test(name)) throw unsendable(name);
  if (token !== undefined && !VISIBLE.test(token)) throw refusal('the credential of the cluster cannot be sent');
  return [
    ...(token === undefined ? [] : [['authorization', `Bearer ${token}`] as const]),
    ['impersonate-user', user],
    ...groups.map((group) => ['impersonate-group', group] as const),
    ['audit-id', requestId],
  ];
}

function* pairsOf(raw: readonly string[]): Generator<HeaderPair> {
  for (let at = 0; at + 1 < raw.length; at += 2) yield [raw[at]!.toLowerCase(), raw[at + 1]!.trim()];
}

/** Told as code points: what it is cannot be shown. */
function unsendable(name: string) {
  return refusal(`the name ${JSON.stringify(name)} has more than visible ASCII, and headers carry nothing else`);
}
