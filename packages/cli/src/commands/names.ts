/** `gatehouse names`: what can be named on the command line, one a line, for completion and for scripts. */

import { printable } from '@gatehouse/contract/std/printable';
import type { Send } from '@gatehouse/contract/wire/client';
import { Argument, type Command } from 'commander';
import { addCommand, type CommandDeps, print } from '../command.ts';
import { NAMED_KINDS, type NamedKind } from '../completion/named-kinds.ts';
import { addGatewayFlags, anyGateway, CURRENT, type GatewayOptions } from '../gateway/resolve-gateway.ts';
import { type NamedPath, namesOfKind } from '../kinds/kind-names.ts';

const MAX_NAMES = 1000;

export function addNamesCommand(program: Command, { io, configFlags }: CommandDeps): void {
  const command = addCommand(program, {
    name: 'names',
    summary:
      'Print the names of servers, applications, users and so on that you may see, one a line. Completion uses it.',
    examples: ['gatehouse names nodes', 'gatehouse names users --format json'],
  }).addArgument(new Argument('<kind>', 'names of what').choices(NAMED_KINDS));
  addGatewayFlags(command, configFlags).action(async (kind: NamedKind, options: GatewayOptions) => {
    const names = namesToTell(await namesOf(kind, await anyGateway(io, options)));
    print(io, options.format, names, names.map((name) => `${name}\n`).join(''));
  });
}

/** A name that steers a terminal, or breaks its line into two, is no name that somebody could type: it is not told. */
export function namesToTell(names: readonly string[]): string[] {
  return names.filter((name) => printable(name) === name);
}

async function namesOf(kind: NamedKind, send: Send): Promise<string[]> {
  const { call } = await import('@gatehouse/contract/wire/client');
  const ofKind = namesOfKind(kind);
  if (ofKind) return await ofKind(call, send);
  switch (kind as Exclude<NamedKind, NamedPath>) {
    case 'users': {
      const { userRoutes } = await import('@gatehouse/contract/identity/users/users');
      return (await call(send, userRoutes.list, {})).map(({ name }) => name);
    }
    case 'roles': {
      const { roleRoutes } = await import('@gatehouse/contract/access/roles/roles');
      return (await call(send, roleRoutes.list, {})).map(({ name }) => name);
    }
    case 'connectors':
      return (await connectorsOf(send)).map(({ name }) => name);
    case 'agents': {
      const { agentRoutes } = await import('@gatehouse/contract/reach/agents/agents');
      return (await call(send, agentRoutes.list, {})).map(({ name }) => name);
    }
    case 'locks': {
      const { lockRoutes } = await import('@gatehouse/contract/access/locks/locks');
      return (await call(send, lockRoutes.list, { params: CURRENT })).map(({ name }) => name);
    }
    case 'recordings': {
      const { recordingRoutes } = await import('@gatehouse/contract/recordings/recordings');
      const query = { limit: MAX_NAMES } as never;
      return (await call(send, recordingRoutes.list, { params: CURRENT, query })).recordings.map(({ sid }) => sid);
    }
    case 'documents': {
      const kinds = [
        ['role', 'roles'],
        ['user', 'users'],
        ['lock', 'locks'],
      ] as const;
      // Somebody who may not read users still completes roles.
      const found = await Promise.allSettled([
        ...kinds.map(async ([kind, of]) => (await namesOf(of, send)).map((name) => `${kind}/${name}`)),
        connectorsOf(send).then((connectors) => connectors.map(({ kind, name }) => `${kind}/${name}`)),
      ]);
      return found.flatMap((each) => (each.status === 'fulfilled' ? each.value : []));
    }
    case 'sessions': {
      const { sessionRoutes } = await import('@gatehouse/contract/sessions/sessions');
      return (await call(send, sessionRoutes.list, { params: CURRENT })).sessions.map(({ id }) => id);
    }
  }
}

async function connectorsOf(send: Send): Promise<{ kind: string; name: string }[]> {
  const [{ call }, { CONNECTOR_KINDS }, { CONNECTOR_ROUTES }] = await Promise.all([
    import('@gatehouse/contract/wire/client'),
    import('@gatehouse/contract/identity/connectors/connector-kinds'),
    import('@gatehouse/contract/identity/connectors/connectors'),
  ]);
  return (await Promise.all(CONNECTOR_KINDS.map((kind) => call(send, CONNECTOR_ROUTES[kind].list, {})))).flat();
}
