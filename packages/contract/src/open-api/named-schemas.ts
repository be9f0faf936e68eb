/** The names that shapes have in the OpenAPI document: those they are exported under, so that generated clients have types with names. */
import { z } from 'zod';
import * as access from '../access.ts';
import * as ack from '../ack.ts';
import * as agents from '../agents/agents.ts';
import * as apply from '../apply/apply.ts';
import * as apps from '../apps/apps.ts';
import * as checkpoint from '../audit/checkpoint.ts';
import * as events from '../audit/search.ts';
import * as apiTokens from '../auth/api-tokens.ts';
import * as cliLogin from '../auth/cli-login.ts';
import * as lockOuts from '../auth/lock-outs.ts';
import * as mfa from '../auth/mfa.ts';
import * as passwords from '../auth/passwords.ts';
import * as recovery from '../auth/recovery.ts';
import * as signIn from '../auth/sign-in.ts';
import * as signIns from '../auth/sign-ins.ts';
import * as webauthn from '../auth/webauthn.ts';
import * as diagnostics from '../diagnostics/diagnostics.ts';
import * as denials from '../explain/denials.ts';
import * as explain from '../explain/explain.ts';
import * as whatIf from '../explain/what-if.ts';
import * as files from '../files/files.ts';
import * as joinTokens from '../join-tokens/join-tokens.ts';
import * as tokenOffers from '../join-tokens/token-offers.ts';
import * as labels from '../labels.ts';
import * as locks from '../locks/locks.ts';
import * as nodeSpec from '../nodes/node-spec.ts';
import * as nodes from '../nodes/nodes.ts';
import * as pageConfig from '../page-config.ts';
import * as recordingUpkeep from '../recordings/recording-upkeep.ts';
import * as recordings from '../recordings/recordings.ts';
import * as roles from '../roles/roles.ts';
import * as sessions from '../sessions/sessions.ts';
import * as terminal from '../sessions/terminal-frames.ts';
import * as clusters from '../shell/clusters.ts';
import * as gatewaySettings from '../shell/gateway-settings.ts';
import * as sshAuthorities from '../ssh-authorities/ssh-authorities.ts';
import * as findUsers from '../users/find-users.ts';
import * as userRecords from '../users/user-records.ts';
import * as users from '../users/users.ts';

const MODULES = [
  ...[access, ack, agents, apply, apps, checkpoint, events, apiTokens, cliLogin, lockOuts, mfa, passwords, recovery],
  ...[signIn, signIns, webauthn, diagnostics, denials, explain, whatIf, files, joinTokens, tokenOffers, labels, locks],
  ...[nodeSpec, nodes, pageConfig, recordingUpkeep, recordings, roles, sessions, terminal, clusters, sshAuthorities],
  ...[gatewaySettings, findUsers, userRecords, users],
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
