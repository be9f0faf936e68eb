/** Connections from a server of another cluster to elsewhere, or from there to the program: decided, and told in the log, by that cluster. */
import { AppError } from '../../../platform/std/app-error.ts';
import { joinStreams } from '../../../platform/std/join-streams.ts';
import type { CameIn, Forwards, ForwardTarget, Listening } from '../../../sessions/commands/running-command.ts';
import type { SshDoorDeps } from '../door-deps.ts';
import { LEADS_NOWHERE } from '../door-words.ts';
import { type ForwardChannels, MAX_LISTENING } from '../forward-channels.ts';
import type { LeafTarget } from '../leaf-target.ts';
import type { SessionAsked } from '../session-asked.ts';

export function leafForwards(deps: SshDoorDeps, asked: SessionAsked, server: LeafTarget): ForwardChannels {
  const { limits, caller } = asked.person;
  const listening = new Map<string, Listening | 'asked'>();
  let forwards: Forwards | undefined;
  const there = (): Forwards => {
    if (limits) throw new AppError('denied', LEADS_NOWHERE);
    forwards ??= deps.onwards.forwards(server.connection(), server.found.server);
    return forwards;
  };
  const lead = async (at: ForwardTarget, came: CameIn) => {
    try {
      const near = await asked.toward.listened(at, came.from);
      joinStreams(near, came.accept());
    } catch {
      came.reject();
    }
  };
  return {
    async open(target, accept) {
      const far = await there().open(target);
      const near = accept();
      near.on('data', () => deps.active(caller));
      joinStreams(near, far);
    },
    async listen(at) {
      const { listen } = there();
      if (!listen) throw new AppError('not_available', 'nothing is listened for there');
      const wanted = nameOf(at);
      if (listening.has(wanted)) throw new AppError('conflict', `it listens on ${wanted} already`);
      if (listening.size >= MAX_LISTENING)
        throw new AppError('too_many', `at most ${MAX_LISTENING} ports are listened on for one connection`);
      listening.set(wanted, 'asked');
      const named: { at: ForwardTarget } = { at };
      const told = Promise.withResolvers<void>();
      const given = await listen(at, (came) => void told.promise.then(() => lead(named.at, came))).finally(() =>
        listening.delete(wanted),
      );
      if (at.type === 'tcp') named.at = { ...at, port: given.port };
      listening.set(nameOf(named.at), given);
      return { port: given.port, begin: told.resolve };
    },
    unlisten(at) {
      const known = listening.get(nameOf(at));
      if (!known || known === 'asked') return false;
      listening.delete(nameOf(at));
      known.close();
      return true;
    },
    // With the connection, which its owner ends.
    close() {},
  };
}

function nameOf(target: ForwardTarget): string {
  return target.type === 'tcp' ? `${target.host}:${target.port}` : target.path;
}
