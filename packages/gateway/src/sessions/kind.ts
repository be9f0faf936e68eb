/** What sessions ask of a kind of resource. Each part is declared by who asks for it; each kind answers in its own folder, see kinds/kinds.ts. */

import type { Kind } from '@gatehouse/contract/kinds/kinds';
import type { Resource } from '../inventory/resource-store.ts';
import type { Actor } from '../platform/http/actor.ts';
import type { Commands } from './commands/commands.ts';
import type { ConnectionTest } from './connection-tests/connection-test.ts';
import type { ReadDraft } from './connection-tests/draft-test.ts';
import type { Steps } from './connection-tests/take-steps.ts';
import type { ResourceLife } from './host/resource-life.ts';
import type { SessionTeller } from './host/session-teller.ts';
import type { Shells } from './terminal/shells.ts';

export interface SessionKind {
  /** By what people call it. Throws `not_found`, alike for what is not there and what is not seen. */
  find(actor: Actor, wanted: string): Promise<Resource>;
  /** What a change of the thing means for sessions with it. */
  life?: ResourceLife;
  /** In events of its own. A kind without them has no sessions: none is told as another kind's. */
  audit?: SessionTeller;
  /** A kind without them has no terminals. */
  shells?: Shells;
  /** A kind without them runs no commands without a terminal. */
  commands?: Commands;
  /** A kind without it cannot be tested. */
  test?(steps: Steps, test: ConnectionTest): Promise<void>;
  /** A kind without it cannot be tested before it is added. */
  draft?: ReadDraft;
}

export type SessionKinds = { readonly [K in Kind]: SessionKind };
