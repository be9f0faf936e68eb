/** Which commands a token is good for. One that its own script would refuse is not handed out. */
import { factsOf, isNamedKind } from '@gatehouse/contract/kinds/kinds';
import { JOIN_ROLES, type JoinRole } from '@gatehouse/contract/reach/join-tokens/join-tokens';
import { notYet } from '../install/installable.ts';
import { installCommand } from './install-command.ts';

interface Commands {
  command?: string;
  openSshCommand?: string;
  missing?: string;
}

export function commandsFor(roles: readonly JoinRole[], given: Parameters<typeof installCommand>[0]): Commands {
  const { named, ...place } = given;
  const kinds = roles.map((role) => JOIN_ROLES[role]);
  const isForMachines = kinds.some((kind) => factsOf(kind).offered === 'machine');
  const several =
    isForMachines || named
      ? undefined
      : kinds.filter(isNamedKind).find((kind) => factsOf(kind).matched || factsOf(kind).fromFile);
  const words = kinds.flatMap((kind) => {
    const { offered, noun } = factsOf(kind);
    if (offered === undefined) return notYet(kind);
    return offered === 'named' && !isForMachines && !named && kind !== several ? noName(noun) : [];
  });
  return {
    ...(isForMachines || named || several ? { command: installCommand({ ...given, several }) } : {}),
    // Whoever keeps their own sshd shows a secret; a name is none.
    ...(isForMachines && given.method !== 'iam' ? { openSshCommand: installCommand({ ...place, openSsh: true }) } : {}),
    ...(words.length === 0 ? {} : { missing: words.join('. ') }),
  };
}

function noName(noun: string): string {
  return `an agent for ${noun}s is installed by a command that names one: make a token with the name and address of the ${noun}, or give this one to an agent whose configuration has them`;
}
