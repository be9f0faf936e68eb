/** What the rest of the gateway needs of identity: who is calling, what the page must know, and the handlers of its features. */

import type { Feature } from '@gatehouse/contract/api/api';
import type { PageConfig } from '@gatehouse/contract/console/page-config';
import type { EndReason } from '@gatehouse/contract/identity/sign-ins';
import type { AuthenticateChallenge } from '@gatehouse/contract/identity/webauthn';
import type { Route } from '@gatehouse/contract/wire/route';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Actor, Caller, Who } from '../platform/http/actor.ts';
import type { FeatureHandlers } from '../platform/http/bind-api.ts';
import type { Exchange } from '../platform/http/call.ts';
import type { Clusters } from '../platform/http/cluster.ts';
import type { Db } from '../platform/storage/tables.ts';
import type { ApprovedHeadless, AskedHeadless } from './authorities/ssh/headless-limits.ts';
import type { Approvals } from './cli-login/approvals.ts';
import type { Connectors } from './connectors/create-connectors.ts';
import type { OfferedConnector } from './connectors/manage/offered-connectors.ts';
import type { ProviderFetches } from './connectors/providers/provider-fetch.ts';
import type { RecheckLoop } from './connectors/recheck/recheck-loop.ts';
import type { Federation } from './federation/federation.ts';
import type { LoginFailures } from './sign-in/login-failures.ts';
import type { SocketSignIns } from './sockets/signed-in-socket.ts';
import type { Sockets } from './sockets/sockets.ts';
import type { FactorAnswer } from './step-up/prove-again.ts';
import type { FirstAdminInvite } from './users/first-admin.ts';

export type IdentityFeature = Extract<
  Feature,
  | 'signIn'
  | 'signIns'
  | 'loginFailures'
  | 'mfa'
  | 'passwords'
  | 'recovery'
  | 'lockOuts'
  | 'cliLogin'
  | 'headless'
  | 'apiTokens'
  | 'users'
  | 'userList'
  | 'userRecords'
>;

export interface Identity {
  /** Throws `not_signed_in` when nobody valid is calling. */
  authenticate(request: FastifyRequest, route: Pick<Route, 'cookieAlone'>): Promise<Actor>;
  /** For what outlives the call it was asked for in: who they are is kept, what they hold is asked for again. */
  callerOf(actor: Who & Pick<Actor, 'isOwner' | 'address'>): Caller;
  /** Throws where the sign-in something stands on may not be used from. */
  requireHere(signInId: string, used: { address: string; door: string }): Promise<void>;
  /** The sign-in reply for a browser whose session cookie is valid. */
  pageSignIn(request: FastifyRequest, reply: FastifyReply): Promise<object | undefined>;
  /** The sign-in part of the page configuration. */
  pageAuth(): Promise<
    Pick<
      PageConfig['auth'],
      | 'second_factor'
      | 'providers'
      | 'allowPasswordless'
      | 'preferredLocalMfa'
      | 'localConnectorName'
      | 'privateKeyPolicy'
    >
  >;
  /** Connectors that people may sign in through now. */
  offered(): Promise<readonly OfferedConnector[]>;
  handlers: FeatureHandlers<IdentityFeature>;
  /** The loop that asks providers again; there once connectors are open. */
  rechecks(): RecheckLoop;
  /** Opens what goes through sign-in providers, once there is a way to reach them. */
  openConnectors(fetches: ProviderFetches): Connectors;
  /** Trust between this cluster and others. */
  federation: Federation;
  /** Waits until somebody has approved one session of a machine without a browser; throws where nobody has. */
  askHeadless(asked: AskedHeadless, exchange: Pick<Exchange, 'address' | 'gone'>): Promise<ApprovedHeadless>;
  /** Programs that ask a browser. */
  approvals: Approvals;
  /** A challenge for one of somebody's devices, to be answered through `proveAgain`. */
  askForFactor(who: Who): Promise<AuthenticateChallenge>;
  /** Takes the answer of a second factor, for something that asks for one at this moment; throws why it was not taken. */
  proveAgain(who: Who, answer: FactorAnswer, exchange: Exchange): Promise<void>;
  /** Throws unless somebody has just proven who they are, by the very sign-in that asks. The gateway's own machine need not. */
  requireFreshProof(db: Db, actor: Actor): Promise<void>;
  /** The same for whoever has a second factor here: it must have been used just now. Others need not, such as people of other clusters. */
  requireOwnFactor(db: Db, actor: Actor): Promise<void>;
  /** Calls back once, within two seconds of the end of a sign-in, whatever ended it. Gives back how to stop. */
  onSignInEnd(signInId: string, listener: (reason: EndReason) => void): () => void;
  /** The user did something: counts against being signed out for inactivity. */
  active(signInId: string): void;
  /** Opens the door for websockets and serves identity's own; other features add theirs to it. */
  openSockets(app: FastifyInstance, options?: Pick<SocketSignIns, 'askMs'> & { clusters?: Clusters }): Sockets;
  /** Where a browser is sent whose sign-in through a provider did not work. */
  loginFailures: LoginFailures;
  /** While nobody at all has credentials. Asked for every page, it costs nothing once somebody has. */
  isUnclaimed(): Promise<boolean>;
  /** A link to become the first administrator, while nobody has credentials yet. */
  firstAdminInvite(): Promise<FirstAdminInvite | undefined>;
  close(): Promise<void>;
}
