/** `gatehouse sessions`: who is connected to what right now, and the end of it. */

import type { ActiveSession } from '@gatehouse/contract/sessions/sessions';
import { printable } from '@gatehouse/contract/std/printable';
import type { Command } from 'commander';
import { addCommand, addGroup, type CommandDeps, print } from '../command.ts';
import { addGatewayFlags, anyGateway, CURRENT, type GatewayOptions } from '../gateway/resolve-gateway.ts';
import { placeOf, tellSession, tellSessions } from '../output/session-text.ts';

export function addSessionCommands(program: Command, { io, configFlags }: CommandDeps): void {
  const group = addGroup(program, {
    name: 'sessions',
    summary: 'List the sessions that are open now, and end them.',
    examples: ['gatehouse sessions ls', 'gatehouse sessions end 6f1c2d3e --reason "maintenance"'],
  });
  const command = (facts: Parameters<typeof addCommand>[1]) => addGatewayFlags(addCommand(group, facts), configFlags);

  command({
    name: 'ls',
    summary: 'List the sessions that are open now and that you may see.',
    examples: ['gatehouse sessions ls', 'gatehouse sessions ls --format json'],
  }).action(async (options: GatewayOptions) => {
    const { sessions } = await connect(options);
    const open = await sessions();
    print(io, options.format, open, tellSessions(open));
  });

  command({
    name: 'show <id>',
    summary: 'Show one open session and who is in it. The id may be shortened as long as it is the only one.',
    examples: ['gatehouse sessions show 6f1c2d3e'],
  }).action(async (id: string, options: GatewayOptions) => {
    const { find } = await connect(options);
    const session = await find(id);
    print(io, options.format, session, tellSession(session));
  });

  command({
    name: 'end <id>',
    summary: 'End a session: one of your own, or any that your roles let you end. Its people are told by whom and why.',
    examples: ['gatehouse sessions end 6f1c2d3e --reason "maintenance at 18:00"'],
  })
    .option('--reason <text>', 'what its people and the audit log are told')
    .action(async (id: string, { reason, ...options }: GatewayOptions & { reason?: string }) => {
      const { call, sessionRoutes, send, find } = await connect(options);
      const session = await find(id);
      const done = await call(send, sessionRoutes.end, {
        params: { ...CURRENT, sid: session.id },
        query: { ...(reason === undefined ? {} : { reason }) },
      });
      const told = `the session of '${printable(session.owner)}' on '${printable(placeOf(session))}' has ended\n`;
      print(io, options.format, done, told);
    });

  async function connect(options: GatewayOptions) {
    const [{ call }, { sessionRoutes }, send] = await Promise.all([
      import('@gatehouse/contract/wire/client'),
      import('@gatehouse/contract/sessions/sessions'),
      anyGateway(io, options),
    ]);
    const sessions = async () => (await call(send, sessionRoutes.list, { params: CURRENT })).sessions;
    return {
      call,
      sessionRoutes,
      send,
      sessions,
      /** By its whole id, or by how it begins when no other does. */
      async find(id: string): Promise<ActiveSession> {
        const fitting = (await sessions()).filter((session) => session.id.startsWith(id));
        // The gateway's own words for one that is not there, or that is no longer the only one.
        if (fitting.length === 1 && id !== '') return fitting[0]!;
        return await call(send, sessionRoutes.get, { params: { ...CURRENT, sid: id } });
      },
    };
  }
}
