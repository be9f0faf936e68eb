/** What the SSH door stands on. */
import type { DoorHostKey } from '../../identity/authorities/ssh/door-host-key.ts';
import type { Identity } from '../../identity/identity.ts';
import type { EventStream } from '../../platform/audit/event-stream.ts';
import type { Who } from '../../platform/http/actor.ts';
import type { Clusters } from '../../platform/http/cluster.ts';
import type { RunCommandDeps } from '../../sessions/commands/run-command.ts';
import type { SessionKinds } from '../../sessions/kind.ts';
import type { Terminals } from '../../sessions/terminal/terminals.ts';
import type { Onwards } from './leaf-target.ts';
import type { ProveDeps } from './prove-person.ts';
import type { CertificateWatch } from './watch-certificates.ts';

export interface SshDoorDeps extends ProveDeps, RunCommandDeps {
  identity: ProveDeps['identity'] & Pick<Identity, 'onSignInEnd' | 'proveAgain' | 'approvals'>;
  hostKey: Pick<DoorHostKey, 'key' | 'certify'>;
  revoked: Pick<CertificateWatch, 'onRevoked' | 'onUnbound'>;
  terminals: Pick<Terminals, 'open'>;
  kinds: SessionKinds;
  events: Pick<EventStream, 'write'>;
  clusterName: string;
  clusters: Pick<Clusters, 'find' | 'hasLeaves'>;
  onwards: Onwards;
  /** By which the gateway is dialled: the door shows a certificate for them. */
  hostNames(): string[];
  /** Throws where too many of there have asked browsers. */
  mayAsk(address: string): void;
  /** Somebody did something: counts against being signed out. */
  active(who: Who): void;
}
