/** Tells the people of a session who is there, who types, and what it waits for while nothing passes. */
import type { Party, TerminalReply } from '@gatehouse/contract/sessions/terminal-frames';
import type { HostedSession } from './hosted-session.ts';

type PartiesNews = Extract<TerminalReply, { type: 'parties' }>;
/** What it waits for, whatever the session is with. */
type FlowNews = Omit<Extract<TerminalReply, { type: 'flow' }>, 'taken'>;

export interface ParticipantUpdatesDeps<V extends { id: string }> {
  hosted: HostedSession;
  viewers: ReadonlyMap<string, V>;
  tell(viewer: V, news: PartiesNews | FlowNews): void;
  /** Where it has changed, the same news are told once more. */
  taken?(viewer: V): number;
  couldJoin(): Promise<string[]>;
}

export class ParticipantUpdates<V extends { id: string }> {
  readonly #deps: ParticipantUpdatesDeps<V>;
  /** Who could join so that it goes on, as far as was asked. */
  #could: readonly string[] = [];
  readonly #told = new WeakMap<V, string>();

  constructor(deps: ParticipantUpdatesDeps<V>) {
    this.#deps = deps;
  }

  tellParties(): void {
    const { hosted, viewers, tell } = this.#deps;
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
      tell(viewer, { type: 'parties', parties });
    }
  }

  tellFlow(): void {
    const { hosted, viewers, tell, taken } = this.#deps;
    const { flow, flowSince, needs } = hosted;
    if (flow === 'live') this.#could = [];
    else if (this.#could.length === 0) void this.#ask();
    const news: FlowNews = { type: 'flow', flow, since: time(flowSince), needs, could: [...this.#could] };
    const text = JSON.stringify(news);
    for (const viewer of viewers.values()) {
      const mark = `${taken?.(viewer) ?? ''} ${text}`;
      if (this.#told.get(viewer) === mark) continue;
      this.#told.set(viewer, mark);
      tell(viewer, news);
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
