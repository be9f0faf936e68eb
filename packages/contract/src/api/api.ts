/** Every route of the API, by feature. The OpenAPI document, the handler table and the hostile-input test are made from it. */

import type { AclGroup } from '../access/acl.ts';
import { apiTokenRoutes } from '../access/api-tokens.ts';
import { applyRoutes } from '../access/apply/apply.ts';
import { denialRoutes } from '../access/explain/denials.ts';
import { explainRoutes } from '../access/explain/explain.ts';
import { whatIfRoutes } from '../access/explain/what-if.ts';
import { lockRoutes } from '../access/locks/locks.ts';
import { roleRoutes } from '../access/roles/roles.ts';
import { eventRoutes } from '../audit/search.ts';
import { captureRoutes } from '../console/capture.ts';
import { clusterRoutes } from '../console/clusters.ts';
import { gatewaySettingRoutes } from '../console/gateway-settings.ts';
import { openApiRoutes } from '../console/open-api-route.ts';
import { pingRoutes } from '../console/ping.ts';
import { cliLoginRoutes } from '../identity/cli-login.ts';
import {
  githubFlowRoutes,
  oidcFlowRoutes,
  samlFlowRoutes,
  ssoFlowRoutes,
} from '../identity/connectors/connector-flow.ts';
import { connectorTestRoutes } from '../identity/connectors/connector-tests.ts';
import { githubConnectorRoutes, oidcConnectorRoutes, samlConnectorRoutes } from '../identity/connectors/connectors.ts';
import { ssoFactorRoutes } from '../identity/connectors/factor-flow.ts';
import { identityRoutes } from '../identity/connectors/identities.ts';
import { dbAuthorityRoutes } from '../identity/db-authorities.ts';
import { headlessRoutes } from '../identity/headless.ts';
import { lockOutRoutes } from '../identity/lock-outs.ts';
import { loginFailureRoutes } from '../identity/login-failure.ts';
import { mfaRoutes } from '../identity/mfa.ts';
import { passwordRoutes } from '../identity/passwords.ts';
import { recoveryRoutes } from '../identity/recovery.ts';
import { signInRoutes } from '../identity/sign-in.ts';
import { signInsRoutes } from '../identity/sign-ins.ts';
import { sshAuthorityRoutes } from '../identity/ssh-authorities.ts';
import { sshCertificateRoutes } from '../identity/ssh-certificates.ts';
import { userListRoutes } from '../identity/users/user-list.ts';
import { userRecordRoutes } from '../identity/users/user-records.ts';
import { userRoutes } from '../identity/users/users.ts';
import { kindRoutes } from '../kinds/kind-routes.ts';
import { agentRoutes } from '../reach/agents/agents.ts';
import { joinTokenRoutes } from '../reach/join-tokens/join-tokens.ts';
import { remoteClusterRoutes, trustedClusterRoutes } from '../reach/trusted-clusters/trusted-clusters.ts';
import { compatPlaybackRoutes } from '../recordings/compat-playback.ts';
import { recordingUpkeepRoutes } from '../recordings/recording-upkeep.ts';
import { recordingRoutes } from '../recordings/recordings.ts';
import { diagnosticRoutes } from '../sessions/diagnostics.ts';
import { sessionRoutes } from '../sessions/sessions.ts';
import type { Route, Verb } from '../wire/route.ts';

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
  headless: headlessRoutes,
  apiTokens: apiTokenRoutes,
  users: userRoutes,
  userList: userListRoutes,
  userRecords: userRecordRoutes,
  roles: roleRoutes,
  githubFlow: githubFlowRoutes,
  oidcFlow: oidcFlowRoutes,
  samlFlow: samlFlowRoutes,
  ssoFlow: ssoFlowRoutes,
  ssoFactor: ssoFactorRoutes,
  connectorTests: connectorTestRoutes,
  identities: identityRoutes,
  githubConnectors: githubConnectorRoutes,
  oidcConnectors: oidcConnectorRoutes,
  samlConnectors: samlConnectorRoutes,
  explain: explainRoutes,
  whatIf: whatIfRoutes,
  denials: denialRoutes,
  apply: applyRoutes,
  locks: lockRoutes,
  joinTokens: joinTokenRoutes,
  agents: agentRoutes,
  ...kindRoutes,
  sshAuthorities: sshAuthorityRoutes,
  sshCertificates: sshCertificateRoutes,
  dbAuthorities: dbAuthorityRoutes,
  diagnostics: diagnosticRoutes,
  sessions: sessionRoutes,
  recordings: recordingRoutes,
  recordingUpkeep: recordingUpkeepRoutes,
  referencePlayback: compatPlaybackRoutes,
  clusters: clusterRoutes,
  trustedClusters: trustedClusterRoutes,
  remoteClusters: remoteClusterRoutes,
  gatewaySettings: gatewaySettingRoutes,
  events: eventRoutes,
  capture: captureRoutes,
  openApi: openApiRoutes,
} as const satisfies Record<string, ApiRoutes>;

/** A route whose permission is one of those there are. */
export interface ApiRoute extends Route {
  needs?: readonly [AclGroup, Verb];
}
export type ApiRoutes = Record<string, ApiRoute>;

export type Feature = keyof typeof API;

export interface NamedRoute {
  feature: string;
  name: string;
  route: ApiRoute;
}

export function allRoutes(): NamedRoute[] {
  return Object.entries(API).flatMap(([feature, routes]) =>
    Object.entries(routes).map(([name, route]) => ({ feature, name, route: route as ApiRoute })),
  );
}
