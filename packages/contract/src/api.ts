/** Every route of the API, by feature. The OpenAPI document, the handler table and the hostile-input test are made from it. */
import { agentRoutes } from './agents/agents.ts';
import { applyRoutes } from './apply/apply.ts';
import { appRoutes, jwksRoutes } from './apps/apps.ts';
import { eventRoutes } from './audit/search.ts';
import { apiTokenRoutes } from './auth/api-tokens.ts';
import { cliLoginRoutes } from './auth/cli-login.ts';
import { lockOutRoutes } from './auth/lock-outs.ts';
import { loginFailureRoutes } from './auth/login-failure.ts';
import { mfaRoutes } from './auth/mfa.ts';
import { passwordRoutes } from './auth/passwords.ts';
import { recoveryRoutes } from './auth/recovery.ts';
import { signInRoutes } from './auth/sign-in.ts';
import { signInsRoutes } from './auth/sign-ins.ts';
import { diagnosticRoutes } from './diagnostics/diagnostics.ts';
import { denialRoutes } from './explain/denials.ts';
import { explainRoutes } from './explain/explain.ts';
import { whatIfRoutes } from './explain/what-if.ts';
import { fileRoutes } from './files/files.ts';
import { scpRoutes } from './files/scp.ts';
import { joinTokenRoutes } from './join-tokens/join-tokens.ts';
import { lockRoutes } from './locks/locks.ts';
import { nodeRoutes } from './nodes/nodes.ts';
import { recordingUpkeepRoutes } from './recordings/recording-upkeep.ts';
import { recordingRoutes } from './recordings/recordings.ts';
import { referencePlaybackRoutes } from './recordings/reference-playback.ts';
import { roleRoutes } from './roles/roles.ts';
import type { Route } from './route.ts';
import { sessionRoutes } from './sessions/sessions.ts';
import { captureRoutes } from './shell/capture.ts';
import { clusterRoutes } from './shell/clusters.ts';
import { gatewaySettingRoutes } from './shell/gateway-settings.ts';
import { openApiRoutes } from './shell/open-api-route.ts';
import { pingRoutes } from './shell/ping.ts';
import { sshAuthorityRoutes } from './ssh-authorities/ssh-authorities.ts';
import { userListRoutes } from './users/user-list.ts';
import { userRecordRoutes } from './users/user-records.ts';
import { userRoutes } from './users/users.ts';

export const API = {
  ping: pingRoutes,
  signIn: signInRoutes,
  signIns: signInsRoutes,
  loginFailures: loginFailureRoutes,
  mfa: mfaRoutes,
  passwords: passwordRoutes,
  recovery: recoveryRoutes,
  lockOuts: lockOutRoutes,
  cliLogin: cliLoginRoutes,
  apiTokens: apiTokenRoutes,
  users: userRoutes,
  userList: userListRoutes,
  userRecords: userRecordRoutes,
  roles: roleRoutes,
  explain: explainRoutes,
  whatIf: whatIfRoutes,
  denials: denialRoutes,
  apply: applyRoutes,
  locks: lockRoutes,
  joinTokens: joinTokenRoutes,
  agents: agentRoutes,
  nodes: nodeRoutes,
  apps: appRoutes,
  jwks: jwksRoutes,
  sshAuthorities: sshAuthorityRoutes,
  diagnostics: diagnosticRoutes,
  sessions: sessionRoutes,
  recordings: recordingRoutes,
  recordingUpkeep: recordingUpkeepRoutes,
  referencePlayback: referencePlaybackRoutes,
  files: fileRoutes,
  scp: scpRoutes,
  clusters: clusterRoutes,
  gatewaySettings: gatewaySettingRoutes,
  events: eventRoutes,
  capture: captureRoutes,
  openApi: openApiRoutes,
} as const;

export type Feature = keyof typeof API;

export interface NamedRoute {
  feature: string;
  name: string;
  route: Route;
}

export function allRoutes(): NamedRoute[] {
  return Object.entries(API).flatMap(([feature, routes]) =>
    Object.entries(routes).map(([name, route]) => ({ feature, name, route: route as Route })),
  );
}
