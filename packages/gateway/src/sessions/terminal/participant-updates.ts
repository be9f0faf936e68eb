/** Tells the viewers of a terminal who is there, who types, and what it waits for while nothing passes. */
import type { Party, TerminalReply } from '@gatehouse/contract/sessions/terminal-frames';
import type { HostedSession } from '../host/hosted-session.ts';
import type { Viewer } from './viewer.ts';

export interface ParticipantUpdatesDeps {
  hosted: HostedSession;
  viewers: ReadonlyMap<string, Viewer>;
  /** Input of a writer that the shell has been given. */
  takenBy(writer: string): number;
  couldJoin(): Promise<string[]>;
}

export class ParticipantUpdates {
  readonly #deps: ParticipantUpdatesDeps;
  /** Who could join so that it goes on, as far as was asked. */
  #could: readonly string[] = [];
  readonly #told = new WeakMap<Viewer, string>();

  constructor(deps: ParticipantUpdatesDeps) {
    this.#deps = deps;
  }

  tellParties(): void {
    const { hosted, viewers } = this.#deps;
    const people = [...hosted.participants.values()];
    for (const viewer of viewers.values()) {
      const parties: Party[] = people.map(({ id, username, mode, since, lastActive }) => ({
        id,
        user: username,
        mode,
        self: id === viewer.id,
        since: time(since),
        lastActive: time(lastActive),
        typing: hosted.isTyping(id),
      }));
      viewer.wire.tell({ type: 'parties', parties });
    }
  }

  tellFlow(): void {
    const { hosted, viewers, takenBy } = this.#deps;
    const { flow, flowSince, needs } = hosted;
    if (flow === 'live') this.#could = [];
    else if (this.#could.length === 0) void this.#ask();
    for (const viewer of viewers.values()) {
      const told: Extract<TerminalReply, { type: 'flow' }> = {
        type: 'flow',
        flow,
        since: time(flowSince),
        taken: takenBy(viewer.writer),
        needs,
        could: [...this.#could],
      };
      const text = JSON.stringify(told);
      if (this.#told.get(viewer) === text) continue;
      this.#told.set(viewer, text);
      viewer.wire.tell(told);
    }
  }

  async #ask(): Promise<void> {
    const { hosted, couldJoin } = this.#deps;
    // It is waited for without knowing by whom it could be ended, when the store does not answer.
    const names = await couldJoin().catch(() => []);
    if (names.length === 0 || hosted.flow === 'live') return;
    this.#could = names;
    this.tellFlow();
  }
}

function time(ms: number): string {
  return new Date(ms).toISOString();
}
