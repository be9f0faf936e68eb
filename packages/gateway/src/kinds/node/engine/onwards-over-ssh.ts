/** What else a connection of SSH is used for, for whoever ends SSH themselves: forwards, and ways back to a program. */
import type { Client } from 'ssh2';
import type { Backward } from '../../../sessions/backward.ts';
import type { Forwards } from '../../../sessions/commands/running-command.ts';
import type { SshConnection } from './connect-ssh.ts';
import { allowBackward } from './ssh-backward.ts';
import { forwardsOverSsh } from './ssh-forward.ts';

type Connection = Pick<SshConnection, 'client' | 'closed' | 'close'>;

const NEVER = new AbortController().signal;

export function onwardsOverSsh() {
  const open = new WeakSet<Client>();
  return {
    forwards: (connection: Connection, name: string): Forwards => forwardsOverSsh(connection, name, NEVER),
    backward(connection: Connection, ways: Pick<Backward, 'agent' | 'x11'>): void {
      if (open.has(connection.client) || (!ways.agent && !ways.x11)) return;
      open.add(connection.client);
      allowBackward(connection, ways, () => {});
    },
  };
}
