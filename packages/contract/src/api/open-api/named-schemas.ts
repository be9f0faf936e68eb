/** The names that shapes have in the OpenAPI document: those they are exported under, so that generated clients have types with names. */
import { z } from 'zod';
import * as access from '../../access/acl.ts';
import * as apiTokens from '../../access/api-tokens.ts';
import * as apply from '../../access/apply/apply.ts';
import * as denials from '../../access/explain/denials.ts';
import * as explain from '../../access/explain/explain.ts';
import * as whatIf from '../../access/explain/what-if.ts';
import * as locks from '../../access/locks/locks.ts';
import * as roles from '../../access/roles/roles.ts';
import * as checkpoint from '../../audit/checkpoint.ts';
import * as events from '../../audit/search.ts';
import * as clusters from '../../console/clusters.ts';
import * as gatewaySettings from '../../console/gateway-settings.ts';
import * as pageConfig from '../../console/page-config.ts';
import * as cliLogin from '../../identity/cli-login.ts';
import * as dbAuthorities from '../../identity/db-authorities.ts';
import * as headless from '../../identity/headless.ts';
import * as lockOuts from '../../identity/lock-outs.ts';
import * as mfa from '../../identity/mfa.ts';
import * as passwords from '../../identity/passwords.ts';
import * as recovery from '../../identity/recovery.ts';
import * as signIn from '../../identity/sign-in.ts';
import * as signIns from '../../identity/sign-ins.ts';
import * as sshAuthorities from '../../identity/ssh-authorities.ts';
import * as sshCertificates from '../../identity/ssh-certificates.ts';
import * as findUsers from '../../identity/users/find-users.ts';
import * as userRecords from '../../identity/users/user-records.ts';
import * as users from '../../identity/users/users.ts';
import * as webauthn from '../../identity/webauthn.ts';
import * as dbTrust from '../../kinds/db/db-trust.ts';
import { kindShapes } from '../../kinds/kind-shapes.ts';
import * as agents from '../../reach/agents/agents.ts';
import * as joinTokens from '../../reach/join-tokens/join-tokens.ts';
import * as tokenOffers from '../../reach/join-tokens/token-offers.ts';
import * as recordingUpkeep from '../../recordings/recording-upkeep.ts';
import * as recordings from '../../recordings/recordings.ts';
import * as diagnostics from '../../sessions/diagnostics.ts';
import * as sessions from '../../sessions/sessions.ts';
import * as terminal from '../../sessions/terminal-frames.ts';
import * as labels from '../../std/labels.ts';
import * as ack from '../../wire/ack.ts';

const MODULES = [
  ...[
    access,
    ack,
    agents,
    apply,
    checkpoint,
    events,
    apiTokens,
    cliLogin,
    headless,
    lockOuts,
    mfa,
    passwords,
    recovery,
  ],
  ...[signIn, signIns, webauthn, diagnostics, denials, explain, whatIf, joinTokens, tokenOffers, labels, locks],
  ...[
    pageConfig,
    recordingUpkeep,
    recordings,
    roles,
    sessions,
    terminal,
    clusters,
    sshAuthorities,
    sshCertificates,
    dbAuthorities,
    dbTrust,
  ],
  ...[gatewaySettings, findUsers, userRecords, users],
  ...kindShapes,
];

/** Shapes and choices have names; a text or a number says by itself what it is. */
const NAMED = new Set(['object', 'enum', 'union']);

/** By the shape itself: the same one has one name wherever it is used. */
export const SCHEMA_NAMES: ReadonlyMap<unknown, string> = (() => {
  const names = new Map<unknown, string>();
  const taken = new Set<string>();
  for (const [name, value] of MODULES.flatMap((module) => Object.entries(module))) {
    if (!(value instanceof z.ZodType) || !NAMED.has(value.def.type) || names.has(value)) continue;
    // What stands behind the question mark is told as single parameters.
    if (name.endsWith('Query')) continue;
    const title = capital(name);
    // Two features may use one word for two shapes: then neither is the one of that name.
    if (taken.has(title)) throw new Error(`two shapes of the contract are exported as '${name}'`);
    taken.add(title);
    names.set(value, title);
  }
  return names;
})();

export function capital(name: string): string {
  return `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`;
}
