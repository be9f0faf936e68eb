/** Ends of sessions, for those who may see only some: which ones is asked of their roles session by session. */
import type { WireEvent } from '@gatehouse/contract/audit/search';
import { z } from 'zod';
import type { Actor } from '../access/actor.ts';
import type { AccessControl } from '../access/create-access.ts';

const page = z.object({ events: z.array(z.record(z.string(), z.unknown())), startKey: z.string() });
const labels = z.record(z.string(), z.string());

/** The page may get shorter by it while there is a next one; clients go on by the start key. */
export function visibleSessions(
  access: Pick<AccessControl, 'decide'>,
  actor: Actor,
  bytes: Uint8Array,
): { events: WireEvent[]; startKey: string } {
  const { events, startKey } = page.parse(JSON.parse(new TextDecoder().decode(bytes)));
  const isVisible = (event: WireEvent) =>
    access.decide(actor, {
      type: 'verb',
      resource: 'session',
      verb: 'list',
      object: { kind: 'session', session: sessionOf(event) },
    }).allowed;
  return { events: events.filter(isVisible), startKey };
}

function sessionOf(event: WireEvent) {
  const text = (value: unknown) => (typeof value === 'string' ? value : '');
  const isDesktop = event.event === 'windows.desktop.session.end';
  const participants = z.array(z.string()).safeParse(event.participants).data ?? [];
  const login = text(event.login);
  const serverLabels = labels.safeParse(event.server_labels).data;
  return {
    kind: isDesktop ? 'desktop' : event.kubernetes_cluster ? 'k8s' : 'ssh',
    user: text(event.user),
    participants: participants.length > 0 ? participants : [text(event.user)],
    ...(login && { login }),
    ...(serverLabels && { serverLabels }),
  };
}
