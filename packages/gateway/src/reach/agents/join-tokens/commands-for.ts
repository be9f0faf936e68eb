/** Which commands a token is good for. One that its own script would refuse is not handed out. */
import type { JoinRole } from '@gatehouse/contract/reach/join-tokens/join-tokens';
import { NOT_YET } from '../install/not-yet.ts';
import { installCommand } from './install-command.ts';

const NO_APP =
  'an agent for applications is installed by a command that names one: make a token with the name and address of the application, or give this one to an agent whose configuration has them';

interface Commands {
  command?: string;
  openSshCommand?: string;
  missing?: string;
}

export function commandsFor(roles: readonly JoinRole[], given: Parameters<typeof installCommand>[0]): Commands {
  const isForServers = roles.includes('Node');
  const { app, ...place } = given;
  const words = [
    ...(!isForServers && !app && roles.includes('App') ? [NO_APP] : []),
    ...roles.flatMap((role) => (role === 'Node' || role === 'App' ? [] : NOT_YET[role])),
  ];
  return {
    ...(isForServers || app ? { command: installCommand(given) } : {}),
    ...(isForServers ? { openSshCommand: installCommand({ ...place, openSsh: true }) } : {}),
    ...(words.length === 0 ? {} : { missing: words.join('. ') }),
  };
}
