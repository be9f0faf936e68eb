/** Connections from a server of another cluster to elsewhere, or from there to the program: decided, and told in the log, by that cluster. */
import { AppError } from '../../../platform/std/app-error.ts';
import { joinStreams } from '../../../platform/std/join-streams.ts';
import type { CameIn, Forwards, ForwardTarget } from '../../../sessions/commands/running-command.ts';
import type { SshDoorDeps } from '../door-deps.ts';
import { LEADS_NOWHERE } from '../door-words.ts';
import type { ForwardChannels } from '../forward-channels.ts';
import type { LeafTarget } from '../leaf-target.ts';
import { ListeningPlaces } from '../listening-places.ts';
import type { SessionAsked } from '../session-asked.ts';

export function leafForwards(deps: SshDoorDeps, asked: SessionAsked, server: LeafTarget): ForwardChannels {
  const { limits, caller } = asked.person;
  const places = new ListeningPlaces();
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
      return await places.listen({
        at,
        start: (onCameIn) => listen(at, onCameIn),
        lead: (named, came) => void lead(named, came),
      });
    },
    unlisten: (at) => places.unlisten(at),
    // With the connection, which its owner ends.
    close() {},
  };
}
